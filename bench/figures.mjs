// npm run bench:figures: what is asked of the request path, each figure with its spread, beside peers.
//   NAME …         only these (see `--list`); otherwise all but the soak, with --soak that too
//   --quick        short rounds: whether all works; its figures say little
//   --node PATH    the Node that runs everything that is measured (default: Node 24, fetched from npm if this is another)
//   --minutes N    length of the soak (default 10)
//   --write        put the tables into docs/benchmarks.md, and the summary into README.md
import { parseArgs } from 'node:util';
import { Bench } from './bench.mjs';
import { benchNode, versionOf } from './node-version.mjs';
import { sectionOf, summaryTable, writeReport } from './report.mjs';
import * as conversations from './figures/conversations.mjs';
import * as eventLoop from './figures/event-loop.mjs';
import * as failures from './figures/failures.mjs';
import * as latency from './figures/latency.mjs';
import * as pacedStreams from './figures/paced-streams.mjs';
import * as portal from './figures/portal.mjs';
import * as replicas from './figures/replicas.mjs';
import * as slowStreams from './figures/slow-streams.mjs';
import * as soak from './figures/soak.mjs';
import * as throughput from './figures/throughput.mjs';

const FIGURES = [
  throughput,
  latency,
  pacedStreams,
  slowStreams,
  eventLoop,
  conversations,
  replicas,
  failures,
  portal,
  soak,
];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    node: { type: 'string' },
    minutes: { type: 'string' },
  },
});

function chosen() {
  const unknown = positionals.filter((word) => FIGURES.every(({ name }) => name !== word));
  if (unknown.length > 0)
    throw new Error(
      `no figure is called ${unknown.join(', ')}; there are ${FIGURES.map(({ name }) => name).join(', ')}`,
    );
  if (positionals.length > 0) return FIGURES.filter(({ name }) => positionals.includes(name));
  return FIGURES.filter((figure) => figure !== soak || options.soak);
}

if (options.quick && options.write) throw new Error('figures of a quick run are not for writing down');

if (options.list) {
  for (const { name, title } of FIGURES) console.log(`${name}: ${title}`);
} else {
  const node = options.node ?? benchNode();
  const minutes = options.minutes === undefined ? undefined : Number(options.minutes);
  const bench = new Bench({ node, quick: options.quick, minutes });
  const sections = [];
  try {
    for (const figure of chosen()) {
      const result = await figure.run(bench);
      const section = sectionOf(figure, result, versionOf(node));
      console.log(`\n## ${section.title}\n\n${section.text}\n`);
      sections.push(section);
      if (options.write) writeReport([section]);
    }
    console.log(summaryTable(sections.flatMap(({ summary }) => summary)));
  } finally {
    await bench.close();
  }
}
