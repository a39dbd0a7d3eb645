/** Thrown when the target does not do what a case promises. */
export class Deviation extends Error {}

/** Thrown when the target has not what a case needs; the message is the reason. */
export class NotApplicable extends Error {}
