import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** What was last submitted of an offer. The market tells neither endpoints nor tokens, so it cannot be asked what is new. */
interface SubmittedOffer {
  version: number;
  /** Of the file's words. */
  digest: string;
  /** Of its token and where that goes; a record of before does not say. */
  token?: string;
}

/** By offer id, by market. */
type Submitted = Record<string, Record<string, SubmittedOffer>>;

/** What was submitted from a provider's file, kept beside it. Without it every offer is signed anew, those with a token are certified anew. */
export class OfferRecord {
  private readonly path: string;
  private readonly submitted: Submitted;

  /**
   * @param providerFile the provider's file
   * @param market its contract, which tells markets apart wherever they are reached
   */
  constructor(
    providerFile: string,
    private readonly market: string,
  ) {
    this.path = `${providerFile}.submitted`;
    this.submitted = read(this.path);
  }

  of(offerId: string): SubmittedOffer | undefined {
    return this.submitted[this.market]?.[offerId];
  }

  keep(offerId: string, submitted: SubmittedOffer): void {
    (this.submitted[this.market] ??= {})[offerId] = submitted;
    const draft = `${this.path}.draft`;
    writeFileSync(draft, `${JSON.stringify(this.submitted, undefined, 2)}\n`, { mode: 0o600 });
    renameSync(draft, this.path);
  }
}

/** Empty where there is none that can be read. */
function read(path: string): Submitted {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Submitted;
  } catch {
    return {};
  }
}
