import { Skeleton, Stack, Text } from '@mantine/core';
import { IconSignature } from '@tabler/icons-react';
import { useState } from 'react';
import { Dialog } from '../../../design/dialog';
import { Form } from '../../../design/form';
import { FormEnd } from '../../../design/form-end';
import { LoadFailed } from '../../../design/load-failed';
import { readTypedUsdc } from '../../../design/money';
import { notify } from '../../../design/notify';
import { useSubmit } from '../../../design/use-submit';
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
    <Dialog opened={opened} onClose={onClose} title={`Price of ${offer.model}`}>
      {opened && <Prices offerId={offer.offer_id} onClose={onClose} />}
    </Dialog>
  );
}

function Prices({ offerId, onClose }: { offerId: string; onClose: () => void }) {
  const { data, error, refetch } = useOfferTerms(offerId);
  if (data) return <PriceForm terms={data} onClose={onClose} />;
  if (error) return <LoadFailed what="What you signed" error={error} retry={() => void refetch()} />;
  return <Skeleton height={160} />;
}

function PriceForm({ terms, onClose }: { terms: SignedTerms; onClose: () => void }) {
  const { sign, stop } = useSignedAct();
  const [input, setInput] = useState(baseToUsdc(terms.input_price_per_mtok));
  const [output, setOutput] = useState(baseToUsdc(terms.output_price_per_mtok));
  const [isChecked, setChecked] = useState(false);
  const { busy, problem, problemOf, submit } = useSubmit(['input_price_per_mtok', 'output_price_per_mtok']);
  const prices = { input: readTypedUsdc(input), output: readTypedUsdc(output) };
  const send = () => {
    setChecked(true);
    const { input: perInput, output: perOutput } = prices;
    if (perInput === undefined || perOutput === undefined) return;
    void submit(async () => {
      await submitOffer(sign, repriced(terms, { input: perInput, output: perOutput }));
      notify.success('The new price is signed.');
      onClose();
    });
  };
  const errorOf = (field: string, value: bigint | undefined) =>
    problemOf(field) ?? (isChecked && value === undefined && 'Give an amount of USDC, such as 0.25.');
  return (
    <Form onSubmit={send}>
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
        <FormEnd
          problem={problem}
          busy={busy}
          onCancel={onClose}
          stop={stop}
          label="Sign the price"
          icon={<IconSignature size={16} />}
        />
      </Stack>
    </Form>
  );
}
