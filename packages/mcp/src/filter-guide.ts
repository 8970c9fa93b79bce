import { OPERATOR_LINES } from './operators.generated.ts'

/**
 * The filter language in brief, for the assistant. docs/reference/filter-language.md defines it.
 */
export const FILTER_GUIDE = `A filter is text such as
  salary > 50000 and (employer.city = 'Paris' or employer is null) order by salary desc

Comparisons: path operator value
${OPERATOR_LINES}  is null, is not null
Combine with and, or, not (...), except. and binds more tightly than or.
Paths follow relations with dots: origin.state, employer.boss.lastName. A to-many relation means
"at least one": staff.salary > 9. Properties of objects: notes.floor.
Values: numbers, 'text' or "text" (a quote inside is the other one: "O'Hare"), true, false, dates as
'2024-05-31' or '2024-05-31T12:00:00Z', durations as '01:30:00'.
Placeholders :1, :2 or :name take their values from "parameters". Use them for values from users.
!= does not select nulls. Attribute names are case-sensitive.
`
