import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROVIDER_BEHAVIOUR_NAMES } from './faulty-provider';
import type { ProviderBehaviour } from './faulty-provider';
import { PROVIDER_FAULTS } from './provider-faults';
import { faultTable } from './fault-table';

const PAGE = join(__dirname, '../../../../docs/provider-faults.md');
const TABLE = /(<!-- faults -->\n\n)[^]*(\n<!-- \/faults -->)/;
/** What every other test has. */
const RIGHT: readonly ProviderBehaviour[] = ['ok', 'ok-tool-call'];

describe('the fault table', () => {
  it('has every wrong or odd behaviour once', () => {
    const tabled = PROVIDER_FAULTS.map(({ behaviour }) => behaviour);
    expect([...tabled, ...RIGHT].sort()).toEqual([...PROVIDER_BEHAVIOUR_NAMES].sort());
  });

  it('stands in docs/provider-faults.md as it is (WRITE_DOCS=1 writes it)', () => {
    const page = readFileSync(PAGE, 'utf8');
    const written = page.replace(TABLE, (_, start: string, end: string) => `${start}${faultTable()}${end}`);
    if (process.env.WRITE_DOCS) writeFileSync(PAGE, written);
    else expect(page).toBe(written);
    expect(page).toMatch(TABLE);
  });
});
