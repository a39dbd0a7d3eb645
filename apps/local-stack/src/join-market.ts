import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runJob } from './node-process';
import { withPatience } from './patience';
import type { ServiceEnvironment } from './service-environment';
import { readSetupState } from './service-environment';
import type { StackContext } from './stack-context';

/** A model server of the user's own may be slow to probe; the market opens without it then. */
const patienceMs = 120_000;

/** An offer of the seed's providers that nobody is served by, and why. */
export interface MissingOffer {
  model: string;
  reason: string;
}

/** What became of the seed's offers. */
export interface JoinedMarket {
  /** The models that are served. */
  live: string[];
  missing: MissingOffer[];
}

/** As far as the supervisor reads `GET /v1/providers/{wallet}`. */
interface ProviderStatus {
  offers: {
    model: string;
    state: string;
    reason?: { code: string; message: string };
    certification?: { certification_id: string };
  }[];
}

/**
 * Has the seed's providers join like anybody: `svc-provider offer` for each, which is certified by real probes where it is new. What
 * the last run offered and this one does not is withdrawn; where that fails the market opens all the same, and the next start tries again.
 * @param gateway its URL
 * @throws Error when a provider could not even make its offers
 */
export async function joinMarket(
  context: StackContext,
  environment: ServiceEnvironment,
  gateway: string,
  signal: AbortSignal,
): Promise<JoinedMarket> {
  const { paths, progress } = context;
  const providers = readSetupState(paths.stateFile).providers ?? [];
  const run = (name: string, args: string[], until: AbortSignal) =>
    runJob(
      paths,
      { name, app: 'provider-node', script: 'svc-provider.js', args, env: environment.svcProvider() },
      until,
    );
  const present = new Set(providers.map(({ name }) => name));
  for (const name of foldersIn(paths.providers).filter((folder) => !present.has(folder))) {
    const folder = join(paths.providers, name);
    // The file names the last start's gateway, which may have had another port.
    const args = ['withdraw', '--all', '--file', join(folder, 'svc-provider.yaml'), '--url', gateway];
    const failure = await failureOf(
      progress.step(`${name} withdraws`, () => run(`${name}-offers`, args, signal), signal),
    );
    signal.throwIfAborted();
    if (failure === undefined) rmSync(folder, { recursive: true });
    else progress.say(notWithdrawn(name, failure, folder));
  }
  const joined: JoinedMarket = { live: [], missing: [] };
  await Promise.all(
    providers.map(({ name, wallet, file }) =>
      progress.step(
        `${name} offers`,
        async () => {
          const failure = await failureOf(
            withPatience(signal, patienceMs, (until) =>
              run(`${name}-offers`, ['offer', '--exact', '--file', file], until),
            ),
          );
          signal.throwIfAborted();
          sortOffers(await readStatus(gateway, wallet), joined, gateway, failure);
        },
        signal,
      ),
    ),
  );
  return joined;
}

/** Why a command failed; undefined when it did not. One that was refused an offer fails as well. */
async function failureOf(work: Promise<void>): Promise<Error | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** The folder may be of another market, whose offers no start of this one can take off. */
function notWithdrawn(name: string, { message }: Error, folder: string): string {
  // The log's end, of which the command's own words are the last line.
  const reason = message.slice(message.lastIndexOf('\n') + 1).trim();
  return `  ! ${name} has not withdrawn: ${reason}; the next start tries again, unless ${folder} is removed`;
}

/** @throws the command's failure when its offers do not tell the reason */
function sortOffers(
  { offers }: ProviderStatus,
  { live, missing }: JoinedMarket,
  gateway: string,
  failure: Error | undefined,
): void {
  const offered = offers.filter(({ state }) => state !== 'withdrawn');
  const notLive = offered.filter(({ state }) => state !== 'live');
  if (failure !== undefined && notLive.length === 0) throw failure;
  live.push(...offered.filter(({ state }) => state === 'live').map(({ model }) => model));
  for (const { model, state, reason, certification } of notLive) {
    const report = certification
      ? `; report ${gateway}/v1/certifications/${certification.certification_id}`
      : '';
    const words =
      state === 'certifying'
        ? 'its certification is still under way'
        : `${state} by ${reason?.code}: ${reason?.message}`;
    missing.push({ model, reason: words + report });
  }
}

async function readStatus(gateway: string, wallet: string): Promise<ProviderStatus> {
  const response = await fetch(`${gateway}/v1/providers/${wallet}`, { signal: AbortSignal.timeout(10_000) });
  if (response.status === 404) return { offers: [] };
  return (await response.json()) as ProviderStatus;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
