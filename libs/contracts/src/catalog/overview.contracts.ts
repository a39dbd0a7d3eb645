import { IsBoolean, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { IsPlainText, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';

/** The longest page of providers. */
export const MAX_PROVIDER_PAGE = 100;

/** Lists providers in the order of their names, or of their wallets when a wallet's beginning is looked for. */
export class ListProvidersRequest {
  /** How the name begins, in whatever case, or the wallet when it begins with `0x`. */
  @IsOptional()
  @IsString()
  @Length(1, 80)
  @IsPlainText()
  search?: string;

  /** Only those that an operator suspended. */
  @IsOptional()
  @IsBoolean()
  suspended?: boolean;

  /** From after this provider on: `next` of the page before. */
  @IsOptional()
  @IsWallet()
  after?: string;

  /** Providers a page; 50 unless told. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_PROVIDER_PAGE)
  limit?: number;
}

/** A provider as operators see it in a list; how its offers stand, `showProvider` tells. */
export interface ProviderSummary {
  provider: string;
  name: string;
  /** How operators reach it; nobody else is told. */
  contact: string;
  /** UTC. */
  registeredAt: string;
  suspension: { at: string; reason: string } | null;
  /** Offers that are not withdrawn. */
  offers: number;
}

export interface ProviderPage {
  providers: ProviderSummary[];
  /** `after` of the next page; null when there is none. */
  next: string | null;
}

/** Asks how the market stands as a whole. */
export class ShowOverviewRequest {}

export interface CatalogueOverview {
  models: number;
  providers: number;
  suspendedProviders: number;
  /** Not withdrawn. */
  offers: number;
  /** As published: what requests are planned for now. */
  liveOffers: number;
  /** Full certifications that wait or run. */
  openCertifications: number;
}

const queue = 'catalog';

export const overviewContracts = {
  listProviders: defineRpc<ListProvidersRequest, ProviderPage>({
    subject: 'catalog.v1.provider.list',
    queue,
    timeoutMs: 5_000,
    request: ListProvidersRequest,
  }),
  showOverview: defineRpc<ShowOverviewRequest, CatalogueOverview>({
    subject: 'catalog.v1.overview.show',
    queue,
    timeoutMs: 5_000,
    request: ShowOverviewRequest,
  }),
};
