/** The number that two digits of a text make; negative when they are none. */
export const twoDigits = (text: string, at: number): number => {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
};

const daysOf400Years = 146_097;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

const lengthOf = (month: number, year: number): number => {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

/** Days from 1970-01-01 to a date of the Gregorian calendar; `month` is 1 to 12. */
const daysFrom1970 = (year: number, month: number, day: number): number => {
  // A year that begins in March has its odd day at its end. The bits cut to whole numbers, which years from 0 on allow.
  const shifted = month > 2 ? year : year + 399;
  const leapDays = ((shifted / 4) | 0) - ((shifted / 100) | 0) + ((shifted / 400) | 0);
  const daysBefore = ((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) | 0;
  const days = shifted * 365 + leapDays + daysBefore + day - 719_469;
  return month > 2 ? days : days - daysOf400Years;
};

/** Whether a text begins with a date `yyyy-mm-dd` of the calendar. */
const beginsWithDate = (text: string): boolean => {
  const century = twoDigits(text, 0);
  const ofCentury = twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (century < 0 || ofCentury < 0 || month < 1 || month > 12 || day < 1) return false;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return false;
  return day <= 28 || day <= lengthOf(month, century * 100 + ofCentury);
};

/** Days since 1970-01-01 of the date `yyyy-mm-dd` that a text begins with; NaN when it begins with none. */
export const dayOf = (text: string): number => {
  if (!beginsWithDate(text)) return NaN;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  return daysFrom1970(year, twoDigits(text, 5), twoDigits(text, 8));
};

/** Whether a text is a date of the calendar as `2019-03-01`. */
export const isDate = (text: string): boolean => text.length === 10 && beginsWithDate(text);
