/** The users of deploy/nats/nats.conf. */
export const natsUsers = [
  'gateway',
  'catalog',
  'cortex',
  'dispatch',
  'billing',
  'setup',
  'internal',
] as const;

export type NatsUser = (typeof natsUsers)[number];

/** One value for each user, made by `valueOf`. */
export function forEachNatsUser(valueOf: (user: NatsUser) => string): Record<NatsUser, string> {
  return Object.fromEntries(natsUsers.map((user) => [user, valueOf(user)])) as Record<NatsUser, string>;
}

/** The variable nats.conf reads a user's password from. */
export function natsPasswordVariable(user: NatsUser): string {
  return `NATS_${user.toUpperCase()}_PASSWORD`;
}

/**
 * The variables nats.conf reads its passwords from.
 * @param passwords letters and digits, a letter first: the server parses a variable's value
 */
export function natsPasswords(passwords: Record<NatsUser, string>): Record<string, string> {
  return Object.fromEntries(natsUsers.map((user) => [natsPasswordVariable(user), passwords[user]]));
}
