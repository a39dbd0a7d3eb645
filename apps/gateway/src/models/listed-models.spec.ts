import { catalogKey } from '@svc/contracts';
import type { ModelView, RoutingModelView } from '@svc/contracts';
import { ENVIRONMENTS } from '@svc/environment';
import { demoModel, routingModel, toollessModel } from '../testing/models.for-spec';
import { isRouting } from './listed-model';
import { ListedModels } from './listed-models';

const { testnet, production } = ENVIRONMENTS;
const embedding: ModelView = {
  ...demoModel,
  id: 'svc/embed@1',
  capabilities: { ...demoModel.capabilities, workload: 'embedding' },
};

function setUp(entries: { id: string }[], environment = testnet) {
  const published = new Map<string, unknown>(entries.map((entry) => [catalogKey(entry.id), entry]));
  const models = new ListedModels(published, environment);
  const publish = (entry: ModelView | RoutingModelView) => {
    published.set(catalogKey(entry.id), entry);
    models.renew();
  };
  const candidates = () => {
    const model = models.find(routingModel.id);
    return model && isRouting(model) ? model.candidates.map(({ id }) => id) : undefined;
  };
  return { models, published, publish, candidates };
}

const idsOf = (models: ListedModels) => models.all().map(({ id }) => id);

describe('the listed models', () => {
  it('are those of the environment’s workloads, in the order of their ids; others do not exist', () => {
    const entries = [toollessModel, embedding, demoModel];
    const test = setUp(entries).models;
    expect(idsOf(test)).toEqual(['svc/demo@1', 'svc/plain@1']);
    expect(test.find(embedding.id)).toBeUndefined();
    const live = setUp(entries, production).models;
    expect(idsOf(live)).toEqual(['svc/demo@1', 'svc/embed@1', 'svc/plain@1']);
    expect(live.find(embedding.id)).toEqual(embedding);
  });

  it('have the routing model where the environment has it, and no other', () => {
    const entries = [demoModel, toollessModel, routingModel, { ...routingModel, id: 'svc/cortex@2' }];
    expect(idsOf(setUp(entries).models)).toEqual(['svc/cortex@1', 'svc/demo@1', 'svc/plain@1']);
    expect(setUp(entries).models.find('svc/cortex@2')).toBeUndefined();
    const live = setUp(entries, production).models;
    expect(idsOf(live)).toEqual(['svc/demo@1', 'svc/plain@1']);
    expect(live.find(routingModel.id)).toBeUndefined();
  });

  it('are without what is no model', () => {
    const { capabilities } = demoModel;
    const odd = (id: string, fields: object) => ({ ...demoModel, id, ...fields });
    const entries = [
      demoModel,
      { id: 'svc/odd@1' },
      odd('odd', {}),
      odd('svc/odd@2', { contextLimit: '4096' }),
      odd('svc/odd@3', { capabilities: { ...capabilities, workload: 'chess' } }),
      odd('svc/odd@4', { toolContract: { tool_choice: 'auto' } }),
      odd('svc/odd@5', { pricing: { inputPricePerMtok: 'free', outputPricePerMtok: '1' } }),
    ];
    const { models, published } = setUp(entries);
    for (const [at, entry] of [null, 'text', 5, []].entries()) published.set(`odd${at}`, entry);
    published.set(catalogKey('svc/elsewhere@1'), demoModel);
    expect(idsOf(models)).toEqual(['svc/demo@1']);
    expect(models.find('svc/odd@5')).toBeUndefined();
    expect(models.find('svc/elsewhere@1')).toBeUndefined();
  });

  it.each<[string, Partial<Record<keyof RoutingModelView, unknown>>]>([
    ['a model alone for a list', { candidates: demoModel.id }],
    ['no candidates', { candidates: [] }],
    ['none that is known', { candidates: ['svc/gone@1'] }],
    ['no ids', { candidates: [null] }],
    ['itself', { candidates: [routingModel.id] }],
    ['a price that is none', { maxInputPricePerMtok: '-1' }],
    ['no ceiling', { maxOutputPricePerMtok: undefined }],
  ])('are without a routing model that has %s', (_, fields) => {
    const { models } = setUp([demoModel, { ...routingModel, ...fields } as RoutingModelView]);
    expect(idsOf(models)).toEqual(['svc/demo@1']);
    expect(models.find(routingModel.id)).toBeUndefined();
  });

  it('show a routing model with the candidates that are there for chat, as they are now', () => {
    const wide = { ...routingModel, candidates: ['svc/embed@1', ...routingModel.candidates] };
    const { models, publish, candidates } = setUp([demoModel, embedding, wide]);
    expect(candidates()).toEqual(['svc/demo@1']);
    expect(models.find(routingModel.id)).toBe(models.find(routingModel.id));
    publish(toollessModel);
    expect(candidates()).toEqual(['svc/demo@1', 'svc/plain@1']);
    publish({ ...wide, candidates: ['svc/plain@1'] });
    expect(candidates()).toEqual(['svc/plain@1']);
  });
});
