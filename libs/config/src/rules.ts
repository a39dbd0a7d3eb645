import { Matches } from 'class-validator';

/*
 * What variables of several processes are held to, and what is said of one that does not fit.
 */

interface Rule {
  pattern: RegExp;
  message: string;
}

/** The text fits the rule, or the rule's message is said of it. */
export function Fits({ pattern, message }: Rule): PropertyDecorator {
  return Matches(pattern, { message });
}

/** One server or several; what has no scheme is a host, with or without a port. Another scheme would be asked for ever. */
export const NATS_SERVERS = {
  pattern: /^\s*((nats|tls):\/\/)?[^\s,/]+\/?(\s*,\s*((nats|tls):\/\/)?[^\s,/]+\/?)*\s*$/,
  message: 'must be a nats:// or tls:// URL, or several of them with commas between',
};

/** By which variables a process logs in to NATS. */
export const NATS_LOGIN = 'NATS_USER and NATS_PASSWORD';

/** libpq's lists of hosts are none to the driver: it looks for a host of that name, for ever, or fails without saying what about. */
export const POSTGRES_URL = {
  pattern: /^postgres(ql)?:\/\/(?![^/?#]*,[^/?#@]*(?:[/?#]|$))(?!.*[?&]host=[^&#]*(?:,|%2[Cc]))/,
  message: 'must be a postgresql:// URL of one host',
};

export const HTTP_URL = { pattern: /^https?:\/\/[^\s/]/, message: 'must be an http or https URL' };

export const EVM_ADDRESS = { pattern: /^0x[0-9a-fA-F]{40}$/, message: 'must be an EVM address' };

/** Of an account on the chain. The curve has neither 0 nor what begins with 31 digits f: placeholders, which nobody can sign with. */
export const PRIVATE_KEY = {
  pattern: /^0x(?!0{64})(?![fF]{31})[0-9a-fA-F]{64}$/,
  message: 'must be a private key of 32 bytes in hex',
};

/** A line end that came with it from a file is part of a secret, and then it is another one than what the others have. */
export const SECRET = {
  pattern: /^\S(?:[^]*\S)?$/,
  message: 'must not begin or end with spaces or a line end',
};
