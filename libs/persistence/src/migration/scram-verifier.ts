import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** As PostgreSQL makes them (`scram_iterations`). */
const ITERATIONS = 4_096;
const SALT_BYTES = 16;
/** Of other characters PostgreSQL chooses a form of its own first (SASLprep). */
const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * What a role may be given in the place of its password: what PostgreSQL would make of it (RFC 5803), so that a server which logs its
 * statements logs no password.
 * @returns the password itself if it has characters beyond ASCII
 */
export function scramVerifier(password: string): string {
  if (!PRINTABLE_ASCII.test(password)) return password;
  const salt = randomBytes(SALT_BYTES);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  const serverKey = hmac('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
