import fc from 'fast-check';
import { csvLine } from './csv';
import { USAGE_CSV_HEAD, usageCsv } from './usage-csv';

/** A reader of RFC 4180: the fields of one line. */
function parse(line: string): string[] {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    let field = '';
    if (line[at] === '"') {
      const end = /^"((?:[^"]|"")*)"/.exec(line.slice(at))?.[1] ?? '';
      field = end.replaceAll('""', '"');
      at += end.length + 2;
    } else {
      while (at < line.length && line[at] !== ',' && !line.startsWith('\r\n', at)) field += line[at++];
    }
    fields.push(field);
    if (line[at] !== ',') break;
    at++;
  }
  expect(line.slice(at)).toBe('\r\n');
  return fields;
}

describe('a line of CSV', () => {
  it('is read back as it was written, but for formulas', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', '=', '1', ' ') }), {
          minLength: 1,
        }),
        (fields) => {
          const read = parse(csvLine(fields));
          expect(read).toEqual(fields.map((field) => (/^[=+\-@\t\r\n]/.test(field) ? `'${field}` : field)));
        },
      ),
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '=cmd|" /C calc"!A0'])(
    'shows %j as text',
    (text) => {
      expect(parse(csvLine([text, 'x']))).toEqual([`'${text}`, 'x']);
    },
  );

  it('leaves numbers alone', () => {
    expect(csvLine([-1, 2n, true])).toBe('-1,2,true\r\n');
  });
});

describe('usage as CSV', () => {
  it('has as many fields as its head, money in USDC', () => {
    const row = {
      ...{
        hold_id: 'req_1',
        created_at: '2026-11-21T06:00:00.000001Z',
        key_id: 'key_1',
        model: 'svc/demo@1',
      },
      ...{ provider: `0x${'1'.repeat(40)}`, offer_id: 'o,"1"', prompt_tokens: 1, completion_tokens: 2 },
      ...{
        token_source: 'provider' as const,
        input_price_per_mtok: '150000',
        output_price_per_mtok: '600000',
      },
      ...{
        attempts: 1,
        finish_reason: 'stop',
        route: null,
        held: '1500000',
        charged: '1',
        late: false,
        refunded: true,
        first_token_ms: 120,
        total_ms: null,
      },
    };
    const fields = parse(usageCsv([row]));
    expect(fields).toHaveLength(parse(USAGE_CSV_HEAD).length);
    expect(fields).toEqual(expect.arrayContaining(['o,"1"', '1.500000', '0.000001', 'true']));
  });

  it('of what nobody served has empty fields where there is nothing to say', () => {
    const row = {
      ...{
        hold_id: 'req_1',
        created_at: '2026-11-21T06:00:00.000001Z',
        key_id: 'key_1',
        model: 'svc/demo@1',
      },
      ...{ provider: null, route: null, held: '5', charged: '0', total_ms: 9, attempts: null },
      // Dispatch's own word, but nobody promises that it is harmless.
      ...{ reason: '=HYPERLINK("http://x")', code: null },
    };
    const head = parse(USAGE_CSV_HEAD);
    const fields = parse(usageCsv([row]));
    expect(fields).toHaveLength(head.length);
    const named = Object.fromEntries(head.map((name, at) => [name, fields[at]]));
    expect(named).toMatchObject({
      provider: '',
      prompt_tokens: '',
      attempts: '',
      outcome: 'unserved',
      total_ms: '9',
    });
    expect(named.reason).toBe(`'=HYPERLINK("http://x")`);
  });
});
