import { readFileSync } from 'node:fs';
import { credentialPublicKeyOf } from '@svc/credential-seal';
import type { EnvironmentName } from '@svc/environment';
import type { NatsUser } from '@svc/local-servers';
import { natsServersFor, withCredentials } from './nats-servers';
import { portalEnvironment } from './portal-environment';
import type { ServerAddresses, StackContext } from './stack-context';

type Variables = Record<string, string>;

/** The environment of a process of the stack: how long it may take to stop is told to every one. */
export type ProcessVariables = Variables & { SHUTDOWN_GRACE_MS: string };

/** Foundry's well-known first development account; it pays for the contracts on a local chain. */
const developmentDeployerKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** Later accounts of the same mnemonic, with which billing signs on a local chain: as well known. */
const developmentSettler = {
  key: '0xf214f2b2cd398c806f84e317254e0f0b801d0643303237d97a22a48e01628897',
  address: '0xbcd4042de499d14e55001ccbb24a551f3b954096',
};
const developmentPayer = {
  key: '0x701b615bbdfb9de65240bc28bd21bbc0d996645a3dd57e7b12bc2bdf6f192c82',
  address: '0x71be63f3384f5fb98995898a86b02fb2426c5788',
};

/** Set by the supervisor for each process as far as it needs them, never handed on from the caller's environment. */
const notInherited =
  /^(SVC_ENVIRONMENT|DATABASE_URL|NATS_.*|CHAIN_(RPC_URL|ID|.*_ADDRESS|DEPLOYER_KEY|SETTLER|PAYER)|SETTLER_KEY|PAYER_KEY|HTTP_PORT|HTTP_HOST|KEY_PEPPER|RESPONSE_KEY.*|CREDENTIAL_.*|SVC_PROVIDER_.*|UPSTREAM_.*|.*_DB_PASSWORD|SVC_STATE_DIR|npm_.*)$/;

/** The caller's variables, so that a service's other settings (LOG_LEVEL, HOLD_LEASE_MS, …) can be given to npm start. */
function inherited(name: EnvironmentName, shutdownGraceMs: number): ProcessVariables {
  const entries = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !notInherited.test(entry[0]),
  );
  return {
    ...Object.fromEntries(entries),
    SHUTDOWN_GRACE_MS: String(shutdownGraceMs),
    SVC_ENVIRONMENT: name,
  };
}

/** Where those are that the seed speaks of. */
interface SeedPlaces {
  /** As JSON, in the form apps/setup reads. */
  providers: string;
  gateway: string;
  /** Base URL. */
  vendor: string;
}

/** Makes the environment of each process of the stack. */
export class ServiceEnvironment {
  constructor(
    private readonly context: StackContext,
    private readonly addresses: ServerAddresses,
  ) {}

  /** A service: what all are told, and what only this one may know. */
  async service(name: NatsUser, port: number): Promise<ProcessVariables> {
    const own = name === 'gateway' ? await this.gateway() : this.own(name);
    return { ...this.inherited(), ...this.nats(name), ...listenOn(port), ...own };
  }

  /** A provider's node; with an upstream it forwards, without one its demo engine answers. */
  providerNode(name: string, port: number, settings: Variables): ProcessVariables {
    return { ...this.inherited(), ...listenOn(port), PROVIDER_NAME: name, ...settings };
  }

  /** A step of apps/setup. */
  setup({ providers, gateway, vendor }: SeedPlaces): ProcessVariables {
    const { secrets, paths } = this.context;
    return {
      ...this.inherited(),
      ...this.nats('setup'),
      ...this.chain(),
      DATABASE_URL: this.addresses.databaseUrl,
      BILLING_DB_PASSWORD: secrets.databaseBilling,
      CATALOG_DB_PASSWORD: secrets.databaseCatalog,
      CHAIN_DEPLOYER_KEY: process.env.CHAIN_DEPLOYER_KEY ?? developmentDeployerKey,
      ...this.signers().addresses,
      KEY_PEPPER: secrets.keyPepper,
      SEED_FILE: paths.seedFile,
      SEED_PROVIDERS: providers,
      SEED_PROVIDERS_DIR: paths.providers,
      SEED_MARKET_URL: gateway,
      SEED_VENDOR_URL: vendor,
      STATE_FILE: paths.stateFile,
    };
  }

  /** `svc-provider`: what it needs stands in the provider's file. */
  svcProvider(): ProcessVariables {
    return this.inherited();
  }

  /** The NATS URL with the credentials of one user, for whoever reads ready.json. */
  natsUrlFor(user: NatsUser): string {
    const { NATS_URL = '', NATS_USER, NATS_PASSWORD = '' } = this.nats(user);
    return NATS_USER === undefined ? NATS_URL : withCredentials(NATS_URL, NATS_USER, NATS_PASSWORD);
  }

  private inherited(): ProcessVariables {
    const { environment, options } = this.context;
    return inherited(environment.name, options.shutdownGraceMs);
  }

  private async gateway(): Promise<Variables> {
    const { secrets } = this.context;
    const { CHAIN_USDC_ADDRESS = '', CHAIN_SETTLEMENT_ADDRESS = '' } = this.contracts();
    return {
      KEY_PEPPER: secrets.keyPepper,
      RESPONSE_KEY: secrets.responseKey,
      CREDENTIAL_PUBLIC_KEY: credentialPublicKeyOf(secrets.credentialKey),
      ...this.supplyLimits(),
      ...(await portalEnvironment(this.context, this.addresses)),
      CHAIN_USDC_ADDRESS,
      CHAIN_SETTLEMENT_ADDRESS,
    };
  }

  private own(name: Exclude<NatsUser, 'gateway'>): Variables {
    const { secrets } = this.context;
    switch (name) {
      case 'billing':
        return {
          DATABASE_URL: this.databaseUrlAs('svc_billing', secrets.databaseBilling),
          ...this.chain(),
          ...this.contracts(),
          ...this.signers().keys,
          ...this.settlement(),
        };
      case 'catalog':
        return {
          DATABASE_URL: this.databaseUrlAs('svc_catalog', secrets.databaseCatalog),
          ...this.chain(),
          CHAIN_SETTLEMENT_ADDRESS: readSetupState(this.context.paths.stateFile).settlement ?? '',
          CERTIFICATION_ARGUMENT_BUDGET_MS: process.env.CERTIFICATION_ARGUMENT_BUDGET_MS ?? '4500',
        };
      case 'dispatch':
        // Demo providers and upstreams listen on this machine.
        return {
          PROVIDER_ALLOWED_NETWORKS: process.env.PROVIDER_ALLOWED_NETWORKS ?? '127.0.0.0/8',
          RESPONSE_KEY: secrets.responseKey,
          CREDENTIAL_KEY: secrets.credentialKey,
        };
      case 'cortex':
      case 'setup':
      case 'internal':
        return {};
    }
  }

  private nats(user: NatsUser): Variables {
    const servers = {
      given: this.context.options.external.natsUrl,
      local: this.addresses.natsUrl,
      passwords: this.context.secrets.nats,
    };
    const { natsUrl: NATS_URL, natsUser, natsPassword = '' } = natsServersFor(user, servers, process.env);
    if (natsUser === undefined) return { NATS_URL };
    return { NATS_URL, NATS_USER: natsUser, NATS_PASSWORD: natsPassword };
  }

  private databaseUrlAs(role: string, password: string): string {
    const url = new URL(this.addresses.databaseUrl);
    url.username = role;
    url.password = encodeURIComponent(password);
    return url.href;
  }

  private chain(): Variables {
    return { CHAIN_RPC_URL: this.addresses.chainRpcUrl, CHAIN_ID: String(this.addresses.chainId) };
  }

  /** A local chain mines only when something happens, so a safe depth below its newest block might never be reached. */
  private confirmations(): Variables {
    const { chainRpcUrl } = this.context.options.external;
    if (chainRpcUrl !== undefined || process.env.CHAIN_CONFIRMATIONS !== undefined) return {};
    return { CHAIN_CONFIRMATIONS: '0' };
  }

  /** Who collects and who says what providers earned: on a chain of somebody else's only whom the caller names. */
  private signers(): { keys: Variables; addresses: Variables } {
    const { SETTLER_KEY, PAYER_KEY, CHAIN_SETTLER, CHAIN_PAYER } = process.env;
    const isLocal = this.context.options.external.chainRpcUrl === undefined;
    if (isLocal && SETTLER_KEY === undefined && PAYER_KEY === undefined) {
      return {
        keys: { SETTLER_KEY: developmentSettler.key, PAYER_KEY: developmentPayer.key },
        addresses: { CHAIN_SETTLER: developmentSettler.address, CHAIN_PAYER: developmentPayer.address },
      };
    }
    return { keys: given({ SETTLER_KEY, PAYER_KEY }), addresses: given({ CHAIN_SETTLER, CHAIN_PAYER }) };
  }

  /** Often enough for whoever tries it out to see it; the caller's own settings go first. */
  private settlement(): Variables {
    const {
      SETTLEMENT_INTERVAL_MS = '5000',
      PAYOUT_INTERVAL_MS = '30000',
      SETTLEMENT_MIN_DUE = '0',
    } = process.env;
    if (this.context.options.external.chainRpcUrl !== undefined) return {};
    return { SETTLEMENT_INTERVAL_MS, PAYOUT_INTERVAL_MS, SETTLEMENT_MIN_DUE };
  }

  /** All who sell here come from one address, and sit at this machine. */
  private supplyLimits(): Variables {
    const { SUPPLY_WRITES_PER_MINUTE = '10000', SUPPLY_READS_PER_MINUTE = '100000' } = process.env;
    return { SUPPLY_WRITES_PER_MINUTE, SUPPLY_READS_PER_MINUTE };
  }

  /** Where the contracts are, once apps/setup has seen to them. */
  private contracts(): Variables {
    const { usdc, settlement } = readSetupState(this.context.paths.stateFile);
    return {
      CHAIN_USDC_ADDRESS: usdc ?? '',
      CHAIN_SETTLEMENT_ADDRESS: settlement ?? '',
      ...this.confirmations(),
    };
  }
}

/** What apps/setup leaves in its state file, as far as the supervisor needs it. */
interface SetupState {
  usdc?: string;
  settlement?: string;
  wallet?: string;
  walletPrivateKey?: string;
  apiKey?: string;
  providers?: { name: string; wallet: string; file: string }[];
}

export function readSetupState(file: string): SetupState {
  return JSON.parse(readFileSync(file, 'utf8')) as SetupState;
}

function given(variables: Readonly<Record<string, string | undefined>>): Variables {
  const entries = Object.entries(variables).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}

function listenOn(port: number): Variables {
  return { HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port) };
}
