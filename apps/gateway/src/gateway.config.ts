import { Env, ServiceConfig } from '@svc/config';
import { IsCredentialPublicKey } from '@svc/credential-seal';
import { IsResponseKey } from '@svc/response-cipher';
import { isIP } from 'node:net';
import { IsInt, IsOptional, IsString, Max, Min, MinLength, ValidateBy } from 'class-validator';

/** The variable names addresses and networks. */
function IsNetworks(): PropertyDecorator {
  return (target, property) =>
    ValidateBy({
      name: 'isNetworks',
      validator: {
        validate: (value) => typeof value === 'string' && listOf(value).every(isNetwork),
        defaultMessage: () => 'it must hold IP addresses or networks such as 10.0.0.0/8, with commas between',
      },
    })(target, property);
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

const ORIGIN = /^(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?$/;

/** The variable names web origins as browsers write them, all of one scheme. */
function IsOrigins(): PropertyDecorator {
  return (target, property) =>
    ValidateBy({
      name: 'isOrigins',
      validator: {
        validate: (value) => typeof value === 'string' && areOrigins(listOf(value)),
        defaultMessage: () =>
          'it must hold origins such as https://market.example, all http or all https, with commas between',
      },
    })(target, property);
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
function IsWallets(): PropertyDecorator {
  return (target, property) =>
    ValidateBy({
      name: 'isWallets',
      validator: {
        validate: (value) =>
          typeof value === 'string' && listOf(value).every((one) => /^0x[0-9a-fA-F]{40}$/.test(one)),
        defaultMessage: () => 'it must hold EVM addresses, with commas between',
      },
    })(target, property);
}

function listOf(text: string): string[] {
  return text.split(',').map((one) => one.trim());
}

export class GatewayConfig extends ServiceConfig {
  /** Keys are stored and looked up as HMACs under this secret; billing never learns it. */
  @Env('KEY_PEPPER')
  @IsString()
  @MinLength(16)
  keyPepper!: string;

  /** Replies of idempotent requests are kept encrypted under it: 32 bytes in hexadecimal or base64. Dispatch has it too. */
  @Env('RESPONSE_KEY')
  @IsResponseKey()
  responseKey!: string;

  /** The key before it, while replies stand that were encrypted under that: they do for 24 hours. */
  @Env('RESPONSE_KEY_PREVIOUS')
  @IsOptional()
  @IsResponseKey()
  previousResponseKey?: string;

  /** Credentials of providers' endpoints are sealed for it; dispatch has the private key. */
  @Env('CREDENTIAL_PUBLIC_KEY')
  @IsCredentialPublicKey()
  credentialPublicKey!: string;

  /** How often one address may do what providers do, and read of them. Chat and models are not counted. */
  @Env('SUPPLY_WRITES_PER_MINUTE')
  @IsInt()
  @Min(1)
  supplyWritesPerMinute: number = 30;

  @Env('SUPPLY_READS_PER_MINUTE')
  @IsInt()
  @Min(1)
  supplyReadsPerMinute: number = 300;

  /**
   * Where browsers find the portal: origins, with commas between, all http or all https. Sign-in messages and writes are taken from these
   * alone; without any nobody can sign in.
   */
  @Env('PORTAL_ORIGINS')
  @IsOptional()
  @IsOrigins()
  portalOrigins?: string;

  /** Wallets whose sessions may see and do what operators do, with commas between. */
  @Env('OPERATOR_WALLETS')
  @IsOptional()
  @IsWallets()
  operatorWallets?: string;

  /** How often one address may ask for a nonce or try to sign in. */
  @Env('PORTAL_SIGN_INS_PER_MINUTE')
  @IsInt()
  @Min(1)
  portalSignInsPerMinute: number = 60;

  /** How often it may ask anything else of the portal. */
  @Env('PORTAL_REQUESTS_PER_MINUTE')
  @IsInt()
  @Min(1)
  portalRequestsPerMinute: number = 1_200;

  /**
   * Addresses and networks (CIDR), with commas between, of proxies in front: what they say of where a request comes from is
   * believed. Nobody is unless named here.
   */
  @Env('TRUSTED_PROXIES')
  @IsOptional()
  @IsNetworks()
  trustedProxies?: string;

  /** Where `/metrics` is, instead of on the public port. 0 takes any free port. */
  @Env('METRICS_PORT')
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(65_535)
  metricsPort?: number;

  /** How long clients are still served after SIGTERM, each reply the last on its connection; part of `SHUTDOWN_GRACE_MS`. */
  @Env('SHUTDOWN_LEAVE_MS')
  @IsInt()
  @Min(0)
  shutdownLeaveMs: number = 1_000;

  /** Connections taken at once; further ones are refused by the listener. */
  @Env('HTTP_MAX_CONNECTIONS')
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  maxConnections: number = 20_000;

  /** What all request bodies together may take, bytes, until they have come whole; further ones are refused. */
  @Env('HTTP_MAX_COLLECTED_BODY_BYTES')
  @IsInt()
  @Min(1)
  maxCollectedBodyBytes: number = 256 * 1024 * 1024;

  get proxies(): string[] {
    return this.trustedProxies === undefined ? [] : listOf(this.trustedProxies);
  }

  get portalOriginList(): string[] {
    return this.portalOrigins === undefined ? [] : listOf(this.portalOrigins);
  }

  /** In lower case. */
  get operatorWalletList(): string[] {
    return this.operatorWallets === undefined ? [] : listOf(this.operatorWallets.toLowerCase());
  }
}
