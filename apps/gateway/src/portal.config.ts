import { statSync } from 'node:fs';
import { EVM_ADDRESS, Env, Fits, ServiceConfig } from '@svc/config';
import { Checked } from '@svc/validation';
import { IsIn, IsInt, IsOptional, IsString, Length, Min, ValidateIf } from 'class-validator';
import { IsOrigins, IsWallets, listOf } from './config-rules';

const WEB_URL = { pattern: /^https?:\/\/[^\s'";,]+$/, message: 'must be an http or https URL' };
const DEVELOPMENT_WALLET = /^[A-Za-z ]{1,20}=0x[0-9a-fA-F]{64}$/;
/** The chain id of development nodes: what is on such a chain is worth nothing. */
const LOCAL_CHAIN_ID = 31_337;

const hasPortal = ({ portalOrigins }: PortalConfig) => portalOrigins !== undefined;

/** What the gateway is told of the portal: where its page is, and which chain its visitors' wallets are on. */
export class PortalConfig extends ServiceConfig {
  /** The built page (`apps/portal/dist`); without it the API is served alone. */
  @Env('PORTAL_DIR')
  @IsOptional()
  @IsString()
  @Checked(isDirectory)
  portalDir?: string;

  /**
   * Where browsers find the page: origins, with commas between, all http or all https. Sign-in messages and writes are taken from these
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

  /** The chain that wallets sign in for and pay on; billing has the same. */
  @Env('CHAIN_ID')
  @ValidateIf(hasPortal)
  @IsInt()
  @Min(1)
  chainId!: number;

  @Env('CHAIN_USDC_ADDRESS')
  @ValidateIf(hasPortal)
  @Fits(EVM_ADDRESS)
  chainUsdcAddress!: string;

  @Env('CHAIN_SETTLEMENT_ADDRESS')
  @ValidateIf(hasPortal)
  @Fits(EVM_ADDRESS)
  chainSettlementAddress!: string;

  /** What visitors call the chain. */
  @Env('PORTAL_CHAIN_NAME')
  @IsOptional()
  @IsString()
  @Length(1, 40)
  portalChainName?: string;

  /** A server of the chain that browsers may ask, shown to everybody: never one whose URL holds a secret. */
  @Env('PORTAL_CHAIN_RPC_URL')
  @IsOptional()
  @Fits(WEB_URL)
  portalChainRpcUrl?: string;

  @Env('PORTAL_CHAIN_EXPLORER_URL')
  @IsOptional()
  @Fits(WEB_URL)
  portalChainExplorerUrl?: string;

  /** `on` where the token is one that gives itself to whoever asks (the test network's). */
  @Env('PORTAL_FAUCET')
  @IsIn(['on', 'off'])
  portalFaucet: string = 'off';

  /**
   * Accounts whose keys everybody knows, for visitors without a wallet: `Label=0x<private key>`, with commas between. On a development
   * chain only.
   */
  @Env('PORTAL_DEVELOPMENT_WALLETS')
  @IsOptional()
  @Checked(areDevelopmentWallets)
  portalDevelopmentWallets?: string;

  get portalOriginList(): string[] {
    return this.portalOrigins === undefined ? [] : listOf(this.portalOrigins);
  }

  /** In lower case. */
  get operatorWalletList(): string[] {
    return this.operatorWallets === undefined ? [] : listOf(this.operatorWallets.toLowerCase());
  }

  get isChainLocal(): boolean {
    return this.chainId === LOCAL_CHAIN_ID;
  }

  get developmentWalletList(): { label: string; privateKey: string }[] {
    if (this.portalDevelopmentWallets === undefined) return [];
    return listOf(this.portalDevelopmentWallets).map((one) => {
      const [label = '', privateKey = ''] = one.split('=');
      return { label, privateKey };
    });
  }
}

/** One into which nothing was built yet is taken: it is looked at anew for each visitor. */
function isDirectory(value: unknown) {
  const message = 'it must be a directory that exists: what `npm run build` makes of apps/portal';
  try {
    const entry = typeof value === 'string' ? statSync(value, { throwIfNoEntry: false }) : undefined;
    return entry?.isDirectory() ? undefined : { path: '', message };
  } catch (error) {
    // Nobody can say what is there: a directory above it may not be entered, links lead in a circle.
    return {
      path: '',
      message: `${message}; it cannot be looked at (${String((error as NodeJS.ErrnoException).code)})`,
    };
  }
}

/** A page that gives away private keys must not do so where they could be worth something. */
function areDevelopmentWallets(value: unknown, config: object) {
  const text = typeof value === 'string' ? value : '';
  if (!listOf(text).every((one) => DEVELOPMENT_WALLET.test(one)))
    return { path: '', message: 'it must hold Label=0x<private key>, with commas between' };
  if ((config as PortalConfig).isChainLocal) return undefined;
  return { path: '', message: `it is for a development chain only, CHAIN_ID ${LOCAL_CHAIN_ID}` };
}
