import { Alert, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { IconSignature } from '@tabler/icons-react';
import { useState } from 'react';
import type { SyntheticEvent } from 'react';
import { ApiError } from '../../../api/api-error';
import { wordsOf } from '../../../api/error-words';
import { LoadFailed } from '../../../design/load-failed';
import { readTypedUsdc } from '../../../design/money';
import { notify } from '../../../design/notify';
import type { Offer } from '../../../supply/offer-words';
import type { SignedTerms } from '../offer-form/offer-draft';
import { PriceField } from '../offer-form/price-field';
import { baseToUsdc } from '../offer-form/price-text';
import { submitOffer } from '../offer-form/submit-offer';
import { repriced } from '../offer-form/repriced';
import { useOfferTerms } from '../use-supply';
import { useSignedAct } from '../use-signed-act';

interface DialogProps {
  offer: Offer;
  opened: boolean;
  onClose: () => void;
}

/** Another price for an offer; all else stays as it was signed, so it needs no new certification. */
export function PriceDialog({ offer, opened, onClose }: DialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Price of ${offer.model}`} centered>
      {opened && <Prices offerId={offer.offer_id} onClose={onClose} />}
    </Modal>
  );
}

function Prices({ offerId, onClose }: { offerId: string; onClose: () => void }) {
  const { data, error, refetch } = useOfferTerms(offerId);
  if (error) return <LoadFailed what="What you signed" error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} />;
  return <PriceForm terms={data} onClose={onClose} />;
}

function PriceForm({ terms, onClose }: { terms: SignedTerms; onClose: () => void }) {
  const sign = useSignedAct();
  const [input, setInput] = useState(baseToUsdc(terms.input_price_per_mtok));
  const [output, setOutput] = useState(baseToUsdc(terms.output_price_per_mtok));
  const [isChecked, setChecked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const prices = { input: readTypedUsdc(input), output: readTypedUsdc(output) };
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    setChecked(true);
    if (prices.input === undefined || prices.output === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      await submitOffer(sign, repriced(terms, { input: prices.input, output: prices.output }));
      notify.success('The new price is signed.');
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const param = error instanceof ApiError ? error.param : undefined;
  const errorOf = (field: string, value: bigint | undefined) =>
    param === field
      ? wordsOf(error)
      : isChecked && value === undefined && 'Give an amount of USDC, such as 0.25.';
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        <Text size="sm">
          Requests admitted from now on pay the new price; those under way pay the old one. The certification
          stays.
        </Text>
        <PriceField
          label="Input"
          value={input}
          onChange={setInput}
          error={errorOf('input_price_per_mtok', prices.input)}
        />
        <PriceField
          label="Output"
          value={output}
          onChange={setOutput}
          error={errorOf('output_price_per_mtok', prices.output)}
        />
        {error !== undefined && param !== 'input_price_per_mtok' && param !== 'output_price_per_mtok' && (
          <Alert color="red" role="alert">
            {wordsOf(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" loading={busy} leftSection={<IconSignature size={16} />}>
            Sign the price
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
