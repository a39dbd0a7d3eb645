import { SegmentedControl, Select, SimpleGrid } from '@mantine/core';
import { useBuilds, useOfferableModels } from '../use-supply';
import { choicesOf } from './choices';
import { Section } from './section';
import type { SectionProps } from './section-props';
import { TextField } from './text-field';

const WAYS = [
  { value: 'choose', label: 'Choose a known profile' },
  { value: 'define', label: 'Define a profile' },
];

/** On what, and with how much context, the build is run. */
export function ProfileSection({ draft, change, field }: SectionProps) {
  const builds = useBuilds(draft.values.model);
  const models = useOfferableModels();
  const { onChange: onProfile, ...profile } = field('profile');
  const profiles = builds.data?.profiles ?? [];
  const choose = (id: string | null) => {
    onProfile(id ?? '');
    // The most that it can be; a smaller context may still be offered.
    const chosen = profiles.find((one) => one.id === id);
    const model = models.data?.find((one) => one.id === draft.values.model);
    if (!chosen || draft.values.context_limit !== '') return;
    const most = Math.min(chosen.context_limit, model?.svc.contextLimit ?? chosen.context_limit);
    field('context_limit').onChange(String(most));
  };
  return (
    <Section title="Profile" hint="How you run it. Model, build and profile together make the offer.">
      <SegmentedControl
        aria-label="Profile"
        data={WAYS}
        value={draft.definesProfile ? 'define' : 'choose'}
        onChange={(value) => change({ definesProfile: value === 'define' })}
      />
      {draft.definesProfile ? (
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TextField
            label="Hardware"
            placeholder="1x-l40s"
            required
            {...field('profile_definition.hardware_class')}
          />
          <TextField
            label="Context, tokens"
            placeholder="32768"
            inputMode="numeric"
            required
            {...field('profile_definition.context_limit')}
          />
          <TextField
            label="Speed tier"
            placeholder="standard"
            required
            {...field('profile_definition.speed_tier')}
          />
        </SimpleGrid>
      ) : (
        <Select
          label="Profile"
          placeholder={draft.values.model === '' ? 'Choose a model first' : 'Choose a profile'}
          disabled={draft.values.model === ''}
          data={choicesOf(
            profiles,
            ({ hardware_class: hardware, context_limit: context, speed_tier: speed }) =>
              `${hardware} · ${context.toLocaleString('en')} tokens · ${speed}`,
          )}
          searchable
          openOnFocus={false}
          nothingFoundMessage="No profile is known yet: define yours"
          {...profile}
          error={
            profile.error ?? (builds.error ? 'The profiles could not be loaded. Reload the page.' : undefined)
          }
          value={profile.value || null}
          onChange={choose}
          required
        />
      )}
    </Section>
  );
}
