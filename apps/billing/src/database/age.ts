/**
 * Whether `leastMs` have passed since a date of the database's. What is dated in the future was dated before the database's clock was set back:
 * it counts as old, after a step of milliseconds too, for waiting until the clock is there again may take days.
 * @param ageMs of the date by the database's clock, ms
 */
export function isAged(ageMs: number, leastMs: number): boolean {
  return ageMs < 0 || ageMs >= leastMs;
}
