import { Text } from '@mantine/core';
import { api, dataOf } from '../../../api/client';
import { ConfirmAction } from '../../../design/confirm-action';
import { notify } from '../../../design/notify';
import type { Offer } from '../../../supply/offer-words';
import { useSignedAct } from '../use-signed-act';

interface DialogProps {
  offer: Offer;
  opened: boolean;
  onClose: () => void;
}

export function WithdrawDialog({ offer, opened, onClose }: DialogProps) {
  const { sign, stop } = useSignedAct();
  const id = offer.offer_id;
  const withdraw = async () => {
    await sign('Withdrawal', { offerId: id }, (body) =>
      dataOf(api.POST('/v1/offers/{id}/withdraw', { params: { path: { id } }, body })),
    );
    notify.success('The offer is withdrawn.');
  };
  return (
    <ConfirmAction
      opened={opened}
      onClose={onClose}
      title={`Withdraw the offer of ${offer.model}`}
      confirmLabel="Sign the withdrawal"
      onConfirm={withdraw}
      stop={stop}
      danger
    >
      <Text size="sm">
        It gets no new requests from then on; those under way finish and are paid. To sell it again you sign a
        new version, which is certified like the first one.
      </Text>
    </ConfirmAction>
  );
}
