import { dayToText, textToDay } from '../data.js'
import { Dictionary } from './dictionary.js'

/**
 * Employees as typed columns. An employee is a record number; an entity is a private object with
 * its values.
 */
export class EmployeeColumns {
  /**
   * @param {number} capacity   the maximum number of records; typed columns never grow
   * @param {number} expected   records of the load
   */
  constructor(capacity, expected) {
    this.ids = new Int32Array(capacity)
    this.firstNames = new Uint16Array(capacity)
    this.lastNames = new Uint16Array(capacity)
    /** @type {string[]} */
    this.emails = new Array(expected)
    this.salaries = new Float64Array(capacity)
    this.birthDays = new Int32Array(capacity)
    this.isActive = new Uint8Array(capacity)
    this.companyIds = new Int32Array(capacity)
    this.stamps = new Int32Array(capacity)
    this.firstNameTexts = new Dictionary()
    this.lastNameTexts = new Dictionary()
    this.dayTexts = new Map()
  }

  /** @param {number} day   the birth date of the values, as days since 1970-01-01 */
  write(record, values, day) {
    this.ids[record] = values.ID
    this.firstNames[record] = this.firstNameTexts.encode(values.firstName)
    this.lastNames[record] = this.lastNameTexts.encode(values.lastName)
    this.emails[record] = values.email
    this.salaries[record] = values.salary
    this.birthDays[record] = day
    this.isActive[record] = values.active ? 1 : 0
    this.companyIds[record] = values.companyID
    this.stamps[record] = 1
  }

  /** A private copy of one employee. */
  entity(record) {
    return {
      ID: this.ids[record],
      firstName: this.firstNameTexts.texts[this.firstNames[record]],
      lastName: this.lastNameTexts.texts[this.lastNames[record]],
      email: this.emails[record],
      salary: this.salaries[record],
      birthDate: this.dayText(this.birthDays[record]),
      active: this.isActive[record] === 1,
      companyID: this.companyIds[record],
      stamp: this.stamps[record],
    }
  }

  /** Replaces record numbers by private copies, in the same array. */
  entities(records) {
    for (let i = 0; i < records.length; i++) records[i] = this.entity(records[i])
    return records
  }

  /** The JSON text of one employee. The data set contains no characters to escape. */
  json(record) {
    return (
      '{"ID":' +
      this.ids[record] +
      ',"firstName":"' +
      this.firstNameTexts.texts[this.firstNames[record]] +
      '","lastName":"' +
      this.lastNameTexts.texts[this.lastNames[record]] +
      '","email":"' +
      this.emails[record] +
      '","salary":' +
      this.salaries[record] +
      ',"birthDate":"' +
      this.dayText(this.birthDays[record]) +
      (this.isActive[record] ? '","active":true,"companyID":' : '","active":false,"companyID":') +
      this.companyIds[record] +
      ',"stamp":' +
      this.stamps[record] +
      '}'
    )
  }

  /** A day as text, cached: only 20 000 days occur. */
  dayText(day) {
    let text = this.dayTexts.get(day)
    if (text === undefined) this.dayTexts.set(day, (text = dayToText(day)))
    return text
  }
}

/** Returns a function from `YYYY-MM-DD` to days since 1970-01-01 that caches its results. */
export function cachedTextToDay() {
  const days = new Map()
  return (text) => {
    let day = days.get(text)
    if (day === undefined) days.set(text, (day = textToDay(text)))
    return day
  }
}
