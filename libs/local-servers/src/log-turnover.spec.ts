import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { turnOver } from './log-turnover';

const limits = { largestBytes: 100, formerLogs: 2 };

describe('turnOver', () => {
  let directory: string;
  let log: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'svc-logs-'));
    log = join(directory, 'billing.log');
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const files = () =>
    Object.fromEntries(
      readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
    );

  it('leaves a log within its limit, and one that is not there', () => {
    turnOver(log, limits);
    writeFileSync(log, 'x'.repeat(100));
    turnOver(log, limits);
    expect(files()).toEqual({ 'billing.log': 'x'.repeat(100) });
  });

  it('keeps the last former logs, whole', () => {
    for (const letter of ['a', 'b', 'c', 'd']) {
      appendFileSync(log, letter.repeat(101));
      turnOver(log, limits);
    }
    appendFileSync(log, 'now');
    expect(files()).toEqual({
      'billing.log': 'now',
      'billing.log.1': 'd'.repeat(101),
      'billing.log.2': 'c'.repeat(101),
    });
  });

  it('keeps the end of a log that is far too long', () => {
    writeFileSync(log, `${'x'.repeat(1_000)}${'y'.repeat(200)}`);
    turnOver(log, limits);
    expect(files()).toEqual({ 'billing.log': '', 'billing.log.1': 'y'.repeat(200) });
  });
});
