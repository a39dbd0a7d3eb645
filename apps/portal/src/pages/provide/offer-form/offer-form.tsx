import { Button, Group, Stack } from '@mantine/core';
import { IconSignature } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { ApiError } from '../../../api/api-error';
import { wordsOf } from '../../../api/error-words';
import { marketNowMs } from '../../../api/market-clock';
import { Form } from '../../../design/form';
import { FormProblem, StopWaiting } from '../../../design/form-end';
import { notify } from '../../../design/notify';
import { useNewsOfOffer } from '../../../supply/use-provider';
import { useSignedAct } from '../use-signed-act';
import { BuildSection } from './build-section';
import { EndpointSection } from './endpoint-section';
import type { OfferDraft, OfferField } from './offer-draft';
import { ProfileSection } from './profile-section';
import { readDraft } from './read-draft';
import type { FieldErrors, OfferLimits } from './read-draft';
import type { SectionProps } from './section-props';
import { submitOffer } from './submit-offer';
import { TermsSection } from './terms-section';

interface OfferFormProps {
  initial: OfferDraft;
  limits: OfferLimits;
  /** Of an offer that stands: model, build and profile make the offer, so they cannot change. */
  standing?: { hasCredential: boolean };
}

/** Everything that an offer says; all but the token is what the wallet signs. */
export function OfferForm({ initial, limits, standing }: OfferFormProps) {
  const { sign, stop } = useSignedAct();
  const navigate = useNavigate();
  const takeNews = useNewsOfOffer();
  const [draft, setDraft] = useState(initial);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [failure, setFailure] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const change = (changes: Partial<OfferDraft>) => setDraft((before) => ({ ...before, ...changes }));
  const field: SectionProps['field'] = (name) => ({
    value: draft.values[name],
    error: errors[name],
    'data-field': name,
    onChange: (value) => {
      setDraft((before) => ({ ...before, values: { ...before.values, [name]: value } }));
      setErrors(({ [name]: _, ...others }) => others);
    },
  });
  const refuse = (refused: FieldErrors) => {
    setErrors(refused);
    const [first] = Object.keys(refused);
    if (first !== undefined) focusField(first);
  };
  const submit = async () => {
    setFailure(undefined);
    const reading = readDraft(draft, limits, Math.floor(marketNowMs() / 1000));
    if (!reading.ok) return refuse(reading.errors);
    setBusy(true);
    const { pathname } = window.location;
    try {
      const offer = await submitOffer(sign, reading.offer);
      takeNews(offer);
      notify.success(offer.state === 'live' ? 'Signed. The offer is live.' : 'Signed. The tests begin now.');
      // Who has gone on to another page meanwhile is not taken off it.
      if (window.location.pathname === pathname) void navigate(`/provide/offers/${offer.offer_id}`);
    } catch (error) {
      setBusy(false);
      const name =
        error instanceof ApiError && error.param !== undefined ? fieldOf(error.param, draft) : undefined;
      if (name === undefined) setFailure(error);
      else refuse({ [name]: wordsOf(error) });
    }
  };
  const sections: SectionProps = { draft, change, field };
  return (
    <Form onSubmit={() => void submit()} label="Offer">
      <Stack gap="xl" maw={720}>
        {standing === undefined && <BuildSection {...sections} />}
        {standing === undefined && <ProfileSection {...sections} />}
        <EndpointSection {...sections} hasCredential={standing?.hasCredential ?? false} />
        <TermsSection {...sections} maxDays={Math.floor(limits.max_offer_seconds / 86_400)} />
        {failure !== undefined && <FormProblem>{wordsOf(failure)}</FormProblem>}
        <Group>
          <Button type="submit" loading={busy} leftSection={<IconSignature size={16} />}>
            Sign and send the offer
          </Button>
          <StopWaiting stop={stop} />
          <Button variant="default" component={Link} to="/provide" onClick={stop}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** The field of the form that shows what the server says of `param`; undefined when none does. */
function fieldOf(
  param: string,
  { values, definesBundle, definesProfile }: OfferDraft,
): OfferField | undefined {
  if (param.startsWith('bundle') && definesBundle && !(param in values))
    return 'bundle_definition.weights_digest';
  if (param.startsWith('profile') && definesProfile && !(param in values))
    return 'profile_definition.hardware_class';
  if (param === 'bundle' && definesBundle) return 'bundle_definition.weights_digest';
  if (param === 'profile' && definesProfile) return 'profile_definition.hardware_class';
  return param in values ? (param as OfferField) : undefined;
}

/** Once the errors are drawn. */
function focusField(name: string): void {
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`)?.focus();
  });
}
