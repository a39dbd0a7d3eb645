import { SegmentedControl, Select, SimpleGrid } from '@mantine/core';
import { useBuilds, useOfferableModels } from '../use-supply';
import { choicesOf } from './choices';
import { Section } from './section';
import type { SectionProps } from './section-props';
import { TextField } from './text-field';

const WAYS = [
  { value: 'choose', label: 'Choose a known build' },
  { value: 'define', label: 'Define a build' },
];

/** Which model, and which concrete build of it. */
export function BuildSection({ draft, change, field }: SectionProps) {
  const models = useOfferableModels();
  const builds = useBuilds(draft.values.model);
  const { onChange: onModel, ...model } = field('model');
  const { onChange: onBundle, ...bundle } = field('bundle');
  return (
    <Section
      title="Model"
      hint="What you serve, and which weights, quantisation and engine make it on your server."
    >
      <Select
        label="Model"
        placeholder={models.isPending ? 'Loading…' : 'Choose a model'}
        data={models.data?.map(({ id }) => id) ?? []}
        searchable
        openOnFocus={false}
        nothingFoundMessage="No such model here"
        {...model}
        error={model.error ?? (models.error ? 'The models could not be loaded. Reload the page.' : undefined)}
        value={model.value || null}
        onChange={(value) => {
          onModel(value ?? '');
          onBundle('');
        }}
        required
      />
      <SegmentedControl
        aria-label="Build"
        data={WAYS}
        value={draft.definesBundle ? 'define' : 'choose'}
        onChange={(value) => change({ definesBundle: value === 'define' })}
      />
      {draft.definesBundle ? (
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextField
            label="Weights"
            placeholder="sha256:0f3a…"
            required
            {...field('bundle_definition.weights_digest')}
          />
          <TextField
            label="Quantisation"
            placeholder="q4_k_m"
            required
            {...field('bundle_definition.quantisation')}
          />
          <TextField label="Engine" placeholder="vllm 0.11" required {...field('bundle_definition.engine')} />
        </SimpleGrid>
      ) : (
        <Select
          label="Build"
          placeholder={draft.values.model === '' ? 'Choose a model first' : 'Choose a build'}
          disabled={draft.values.model === ''}
          data={choicesOf(
            builds.data?.bundles ?? [],
            ({ quantisation, engine, weights_digest: weights }) => `${weights} · ${quantisation} · ${engine}`,
          )}
          searchable
          openOnFocus={false}
          nothingFoundMessage="No build of this model is known yet: define yours"
          {...bundle}
          error={
            bundle.error ?? (builds.error ? 'The builds could not be loaded. Reload the page.' : undefined)
          }
          value={bundle.value || null}
          onChange={(value) => onBundle(value ?? '')}
          required
        />
      )}
    </Section>
  );
}
