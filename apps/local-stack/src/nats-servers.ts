import { natsPasswordVariable } from '@svc/local-servers';
import type { NatsUser } from '@svc/local-servers';

/** The servers that a `NATS_URL` names. */
interface NatsServers {
  /** Without credentials, in the form services take it: several with commas between. */
  natsUrl: string;
  natsUser?: string;
  natsPassword?: string;
}

/**
 * Reads one URL, or those of several servers with commas between.
 * @throws Error with one line for the user, which never repeats a URL: it may hold a password
 */
export function readNatsServers(text: string): NatsServers {
  const servers = text.split(',').map((server) => toUrl(server.trim()));
  const withUser = servers.filter(({ username }) => username !== '');
  if (new Set(withUser.map(({ username, password }) => `${username}:${password}`)).size > 1) {
    throw new Error('NATS_URL must name the same user and password for each server.');
  }
  const natsUrl = servers.map(({ protocol, host }) => `${protocol}//${host}`).join(',');
  const [first] = withUser;
  if (first === undefined) return { natsUrl };
  const [natsUser, natsPassword] = [first.username, first.password].map(decoded);
  return { natsUrl, natsUser, natsPassword };
}

/**
 * How a user reaches the marketplace's NATS. The local server: by its own password. Given ones: by its own password if the environment
 * has that too, else as their URL says for all users.
 * @param servers.given a `NATS_URL`, which goes before the local server
 */
export function natsServersFor(
  user: NatsUser,
  servers: { given: string | undefined; local: string; passwords: Record<NatsUser, string> },
  env: NodeJS.ProcessEnv,
): NatsServers {
  const { given, local, passwords } = servers;
  const reached = readNatsServers(given ?? local);
  const password = given === undefined ? passwords[user] : env[natsPasswordVariable(user)];
  return password === undefined ? reached : { ...reached, natsUser: user, natsPassword: password };
}

/** @param natsUrl without credentials. @returns the same servers with them */
export function withCredentials(natsUrl: string, user: string, password: string): string {
  const urls = natsUrl.split(',').map((server) => {
    const url = new URL(server);
    url.username = encodeURIComponent(user);
    url.password = encodeURIComponent(password);
    return url.href.replace(/\/$/, '');
  });
  return urls.join(',');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('NATS_URL must have each % of its user and password written as %25.');
  }
}

function toUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url && ['nats:', 'tls:'].includes(url.protocol) && url.host !== '') return url;
  throw new Error(
    'NATS_URL must be a URL that begins with nats:// or tls://, or several of them with commas between.',
  );
}
