// generated from core's operators.ts by core/scripts/generate-operator-lists.mjs; do not edit.

/** A line for each group of operators. */
export const OPERATOR_LINES = "  =  !=           equal, not equal. Texts ignore case and accents. @ or * is a wildcard: name = 'mc@'\n  === !==         the same without wildcards\n  > >= < <=       numbers, texts, dates, durations\n  begin           a text that begins with the value\n  end             a text that ends with the value\n  %               a text that contains all words of the value, in any order\n  in              one of a list: state in ['TX', 'CA'] or state in :1 with a list as parameter\n  isin            the same without wildcards\n"
