import { Matches, ValidateBy } from 'class-validator';

const UTC_TIME = /^(20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9])(\.[0-9]{1,6})?Z$/;

/** The field is a moment of this century in UTC, `2026-11-21T06:00:00Z`, with at most six decimals of a second. */
export function IsUtcTime(): PropertyDecorator {
  return (target, property) => {
    const message = 'must be a time in UTC such as 2026-11-21T06:00:00Z';
    Matches(UTC_TIME, { message })(target, property);
    ValidateBy({ name: 'isUtcTime', validator: { validate: isUtcTime, defaultMessage: () => message } })(
      target,
      property,
    );
  };
}

/** Whether it is such a time, and the day exists. */
export function isUtcTime(value: unknown): value is string {
  const seconds = typeof value === 'string' ? UTC_TIME.exec(value)?.[1] : undefined;
  if (seconds === undefined) return false;
  const time = new Date(`${seconds}Z`);
  // Date takes the 31st of February for the 3rd of March.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(seconds);
}

/** Whether `to` is not later than `from`; false where either is no time at all. */
export function isBefore(to: unknown, from: unknown): boolean {
  if (!isUtcTime(to) || !isUtcTime(from)) return false;
  return comparable(to) <= comparable(from);
}

function comparable(time: string): string {
  const [seconds, fraction = ''] = time.slice(0, -1).split('.');
  return `${seconds}.${fraction.padEnd(6, '0')}`;
}
