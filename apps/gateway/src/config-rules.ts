import { isIP } from 'node:net';
import { EVM_ADDRESS } from '@svc/config';
import { ValidateBy } from 'class-validator';

/** What a variable holds that lists things with commas between. */
export function listOf(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}

/** The variable names addresses and networks. */
export function IsNetworks(): PropertyDecorator {
  return ValidateBy({
    name: 'isNetworks',
    validator: {
      validate: (value) => typeof value === 'string' && listOf(value).every(isNetwork),
      defaultMessage: () =>
        'it must hold IP addresses or networks such as 10.0.0.0/8 (no /0), with commas between',
    },
  });
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  if (bits === undefined) return true;
  // A /0 would trust every address, so that none is left to be taken for the client's; Fastify throws on it.
  return /^[0-9]{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128);
}

const ORIGIN = /^(https?):\/\/([a-z0-9.-]+)(:[0-9]{1,5})?$/;

/** The variable names web origins as browsers write them, all of one scheme. */
export function IsOrigins(): PropertyDecorator {
  return ValidateBy({
    name: 'isOrigins',
    validator: {
      validate: (value) => typeof value === 'string' && areOrigins(listOf(value)),
      defaultMessage: () =>
        'it must hold origins such as https://market.example, all http or all https, with commas between',
    },
  });
}

function areOrigins(origins: readonly string[]): boolean {
  const schemes = new Set(origins.map((origin) => ORIGIN.exec(origin)?.[1]));
  // An origin is written in one way only: no default port, no path.
  return schemes.size === 1 && origins.every((origin) => ORIGIN.test(origin) && isItsOwnOrigin(origin));
}

function isItsOwnOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

/** The variable names EVM addresses. */
export function IsWallets(): PropertyDecorator {
  return ValidateBy({
    name: 'isWallets',
    validator: {
      validate: (value) =>
        typeof value === 'string' && listOf(value).every((one) => EVM_ADDRESS.pattern.test(one)),
      defaultMessage: () => 'it must hold EVM addresses, with commas between',
    },
  });
}
