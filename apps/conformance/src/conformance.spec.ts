import { casesOf } from './cases/all-cases';
import { runSuite } from './suite/run-suite';
import type { CaseResult } from './suite/run-suite';
import { Spending } from './suite/spending';
import type { EnvironmentName } from './target/environment-terms';
import { environmentNamed } from './target/environment-terms';
import { Target } from './target/target';
import { ALLOWANCES, DEVIATIONS } from './testing/deviations.for-spec';
import { HonestMarket } from './testing/honest-market.for-spec';

/** Runs the suite, or a section of it, on the market with everything lent to it that there is. */
async function tryCases(
  market: HonestMarket,
  url: string,
  name: EnvironmentName,
  section?: string,
): Promise<CaseResult[]> {
  const environment = environmentNamed(name);
  if (!environment) throw new Error(name);
  const { good, poor, suspended, revoked } = market.keys;
  const target = await Target.meet({
    baseUrl: new URL(url),
    apiKey: good,
    environment,
    model: 'svc/all@1',
    props: {
      ...{ poorKey: poor, suspendedKey: suspended, revokedKey: revoked },
      invalidOutputModel: 'svc/invalid@1',
    },
  });
  const cases = casesOf(name, section);
  const spending = Spending.of(
    cases.map((each) => each.charges),
    target.models,
  );
  try {
    return await runSuite(target, cases, spending, { atOnce: 4 });
  } finally {
    target.leave();
  }
}

const named = ({ section, promise }: CaseResult): string => `${section} ${promise}`;
const failed = (results: readonly CaseResult[]) => results.filter(({ outcome }) => outcome === 'failed');

describe.each(['testnet', 'production'] as const)('the suite, in the environment %s', (name) => {
  let market: HonestMarket;
  let url: string;

  beforeEach(async () => {
    market = new HonestMarket(name);
    url = await market.start();
  });
  afterEach(() => market.stop());

  it('passes a service that keeps every promise, and skips nothing there', async () => {
    const results = await tryCases(market, url, name);
    expect(failed(results).map((each) => `${named(each)}: ${each.reason}`)).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'skipped').map(named)).toEqual([]);
    expect(new Set(results.map(named)).size).toBe(results.length);
  });

  it('asks again for a receipt that is still being made', async () => {
    const asked = new Set<string>();
    market.deviate = (draft, { path }) => {
      if (!path.startsWith('/receipts/') || asked.has(path)) return undefined;
      asked.add(path);
      return { ...draft, status: 503 };
    };
    const results = await tryCases(market, url, name, '2.2');
    expect(asked.size).toBeGreaterThan(0);
    expect(results.filter(({ outcome }) => outcome !== 'passed').map(named)).toEqual([]);
  });

  it.each(ALLOWANCES.map((each) => [each.what, each] as const))(
    'takes for no fault: %s',
    async (_, { deviate, promise, outcome }) => {
      market.deviate = deviate;
      const results = await tryCases(market, url, name, promise.split(' ')[0]);
      expect(results.filter((each) => named(each) === promise).map((each) => each.outcome)).toEqual([
        outcome,
      ]);
    },
  );

  const here = DEVIATIONS.filter(({ only }) => (only ?? name) === name);
  it.each(here.map((each) => [each.what, each] as const))(
    'sees %s',
    async (_, { deviate, habit, seenBy }) => {
      if (deviate) market.deviate = deviate;
      if (habit) market.habits[habit] = true;
      const results = failed(await tryCases(market, url, name, seenBy.split(' ')[0]));
      expect(results.map(named)).toContain(seenBy);
    },
  );
});
