// npm run bench:figures: what is asked of the request path, each figure with its spread, beside peers.
//   NAME …         only these (see `--list`); otherwise all but the soak, with --soak that too
//   --quick        short rounds: whether all works; its figures say little
//   --node PATH    the Node that runs everything that is measured (default: Node 24, fetched from npm if this is another)
//   --minutes N    length of the soak (default 10)
//   --write        put the tables into docs/benchmarks.md, and the summary into README.md
import { Bench } from './bench.mjs';
import { benchNode, versionOf } from './node-version.mjs';
import { readOptions } from './options.mjs';
import { sectionOf, summaryTable, writeReport } from './report.mjs';
import * as conversations from './figures/conversations.mjs';
import * as eventLoop from './figures/event-loop.mjs';
import * as failures from './figures/failures.mjs';
import * as faults from './figures/faults.mjs';
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
  faults,
  portal,
  soak,
];

const options = readOptions({
  command: 'npm run bench:figures',
  numbers: { minutes: undefined },
  others: {
    quick: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    node: { type: 'string' },
  },
  words: true,
  check: ({ quick, write, soak: withSoak }, names) => {
    if (quick && write) throw new Error('figures of a quick run are not for writing down');
    return { figures: figuresOf(names, withSoak) };
  },
});

function figuresOf(words, withSoak) {
  const names = FIGURES.map(({ name }) => name);
  const unknown = words.filter((word) => !names.includes(word));
  if (unknown.length > 0)
    throw new Error(`no figure is called ${unknown.join(', ')}; there are ${names.join(', ')}`);
  if (words.length > 0) return FIGURES.filter(({ name }) => words.includes(name));
  return FIGURES.filter((figure) => figure !== soak || withSoak);
}

if (options.list) {
  for (const { name, title } of FIGURES) console.log(`${name}: ${title}`);
} else {
  const node = options.node ?? benchNode();
  const bench = new Bench({ node, quick: options.quick, minutes: options.minutes });
  const sections = [];
  try {
    for (const figure of options.figures) {
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
