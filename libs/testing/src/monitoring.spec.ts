import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Registry, collectDefaultMetrics } from 'prom-client';
import { parse, parseAllDocuments } from 'yaml';
import {
  WORKSPACE,
  all,
  anchorsIn,
  foldersOf,
  makersOf,
  readText,
  sourcesIn,
} from './workspace-texts.for-spec';

const FOLDER = 'deploy/monitoring';
const DOCUMENT = 'docs/monitoring.md';
const SERVICES = ['billing', 'catalog', 'cortex', 'dispatch', 'gateway'];
/** What Prometheus, `prometheus.yaml`, or every registry of a service adds. */
const GIVEN_LABELS = ['job', 'instance', 'app', 'service', 'le'];

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

interface Panel {
  id: number;
  title: string;
  type: string;
  targets?: { expr: string; legendFormat: string }[];
}

interface Selector {
  metric: string;
  matchers: { label: string; values: string[] }[];
}

const readYaml = (file: string): unknown => parse(readText(`${FOLDER}/${file}`));
const { groups } = readYaml('rules.yaml') as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(readText(`${FOLDER}/dashboard.json`)) as { panels: Panel[] };
const { spec: scaled } = readYaml('keda.yaml') as {
  spec: { scaleTargetRef: { name: string }; triggers: { metadata: { query: string } }[] };
};

const processMetrics = new Registry();
collectDefaultMetrics({ register: processMetrics });
const ofProcesses = processMetrics.getMetricsAsArray().map(({ name }) => name);

/** The series an expression asks for. */
function selectorsIn(expression: string): Selector[] {
  const found = expression.matchAll(/\b((?:svc|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g);
  return [...found].map(([, metric = '', inBraces = '']) => ({
    metric,
    matchers: [...inBraces.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)].map(([, label = '', value = '']) => ({
      label,
      values: value.split('|'),
    })),
  }));
}

/** Whether somebody gives the series of the metric that label. */
function hasLabel(metric: string, label: string): boolean {
  return GIVEN_LABELS.includes(label) || makersOf(metric).some((source) => source.includes(`'${label}'`));
}

/** Whether the code has the word: as a text, or as a name in a table. */
function isWord(metric: string, value: string): boolean {
  const word = new RegExp(`'${value}'|^\\s*${value}:`, 'm');
  return [...foldersOf(metric), 'libs/errors/src', 'libs/contracts/src', 'libs/messaging/src']
    .flatMap(sourcesIn)
    .some((source) => word.test(source));
}

/** What of an expression the code does not have. */
function unknownIn(expression: string): string[] {
  const selectors = selectorsIn(expression);
  expect([expression, selectors.length]).not.toEqual([expression, 0]);
  const unknown = selectors.flatMap(({ metric, matchers }) => {
    if (metric !== 'up' && !ofProcesses.includes(metric) && makersOf(metric).length === 0) return [metric];
    return matchers.flatMap(({ label, values }) => {
      if (label === 'job') return values.filter((value) => value !== 'svc');
      if (label === 'app' || label === 'service') return values.filter((value) => !SERVICES.includes(value));
      if (!hasLabel(metric, label)) return [`${metric}{${label}}`];
      return values
        .filter((value) => !isWord(metric, value))
        .map((value) => `${metric}{${label}="${value}"}`);
    });
  });
  const grouped = all(expression, /\bby \(([^)]*)\)/g).flatMap((labels) => labels.split(', '));
  return [...unknown, ...grouped.filter((label) => !selectors.some(({ metric }) => hasLabel(metric, label)))];
}

describe('the alerts', () => {
  it('are few, each with a name of its own', () => {
    const names = alerts.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(20);
    expect(names.length).toBeLessThanOrEqual(32);
  });

  it.each(alerts)('$alert asks for what the services show, and leads to its section', (rule) => {
    expect(unknownIn(rule.expr)).toEqual([]);
    expect(['critical', 'warning']).toContain(rule.labels.severity);
    expect(rule.annotations.runbook).toBe(`${DOCUMENT}#${rule.alert.toLowerCase()}`);
    expect(anchorsIn(DOCUMENT)).toContain(rule.alert.toLowerCase());
    const told = all(rule.annotations.summary, /\$labels\.(\w+)/g);
    expect(told.filter((label) => !rule.expr.includes(label) && !GIVEN_LABELS.includes(label))).toEqual([]);
  });

  it.each(alerts.filter(({ expr }) => expr.includes('histogram_quantile')))(
    '$alert has a bound of its histogram for a limit: between two bounds a quantile is a guess',
    ({ expr }) => {
      const [{ metric = '' } = {}] = selectorsIn(expr);
      const made = makersOf(metric).map((source) => source.split(`'${metric.replace(/_bucket$/, '')}'`)[1]);
      const [bounds = ''] = all(made.join(), /^[^}]*?buckets: \[([^\]]*)\]/g);
      const [limit] = all(expr, /> ([\d.]+)$/g);
      expect(bounds.split(',').map(Number)).toContain(Number(limit));
    },
  );

  it('have a section each, and there is none of another', () => {
    const sections = all(readText(DOCUMENT), /^### (Svc\w+)$/gm);
    expect(sections).toEqual(alerts.map(({ alert }) => alert));
  });

  it('are the ones that their tests are about', () => {
    const { tests } = readYaml('rules.test.yaml') as {
      tests: { alert_rule_test: { alertname: string }[] }[];
    };
    const tested = tests.flatMap((test) => test.alert_rule_test.map(({ alertname }) => alertname));
    expect(tested.length).toBeGreaterThan(5);
    expect(tested.filter((name) => !alerts.some(({ alert }) => alert === name))).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('has panels that each show something', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const empty = panels.filter(({ type, targets = [] }) => type !== 'row' && targets.length === 0);
    expect(empty.map(({ title }) => title)).toEqual([]);
  });

  const shown = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));
  it.each(shown)('$title, $legendFormat: asks for what the services show', ({ expr }) => {
    expect(unknownIn(expr)).toEqual([]);
  });
});

describe('what adds replicas', () => {
  it('asks for what dispatch shows', () => {
    expect(scaled.scaleTargetRef.name).toBe('dispatch');
    expect(scaled.triggers.flatMap(({ metadata }) => unknownIn(metadata.query))).toEqual([]);
  });
});

describe('what is scraped', () => {
  it('is one port of each pod of deploy/kubernetes, the one with its metrics', () => {
    const { scrape_configs: jobs, rule_files: files } = readYaml('prometheus.yaml') as {
      rule_files: string[];
      scrape_configs: { job_name: string; relabel_configs: { action?: string; regex?: string }[] }[];
    };
    expect(readdirSync(join(WORKSPACE, FOLDER))).toEqual(expect.arrayContaining(files));
    expect(jobs.map(({ job_name: name }) => name)).toEqual(['svc']);
    const kept = jobs[0]?.relabel_configs.find(({ action }) => action === 'keep')?.regex ?? '';
    const scraped = SERVICES.flatMap((service) => {
      const [workload] = parseAllDocuments(readText(`deploy/kubernetes/${service}.yaml`));
      const ports = workload?.getIn(['spec', 'template', 'spec', 'containers', 0, 'ports']) as {
        toJSON(): { name: string }[];
      };
      const names = ports.toJSON().map(({ name }) => `${service};${name}`);
      return names.filter((name) => new RegExp(`^(?:${kept})$`).test(name));
    });
    expect(scraped).toEqual(SERVICES.map((name) => `${name};${name === 'gateway' ? 'metrics' : 'http'}`));
  });
});
