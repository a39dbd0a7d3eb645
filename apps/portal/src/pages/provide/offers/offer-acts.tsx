import { ActionIcon, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCoin, IconDots, IconEdit, IconTrash } from '@tabler/icons-react';
import { useRef } from 'react';
import { Link } from 'react-router';
import { useLeaveFocus, useReturnFocus } from '../../../design/focus';
import type { Offer } from '../../../supply/offer-words';
import { PriceDialog } from './price-dialog';
import { WithdrawDialog } from './withdraw-dialog';

/** What can be done to an offer: another price, another version, taking it off the market. */
export function OfferActs({ offer }: { offer: Offer }) {
  const [pricing, price] = useDisclosure(false);
  const [withdrawing, withdrawal] = useDisclosure(false);
  const button = useRef<HTMLButtonElement>(null);
  useLeaveFocus(button);
  const focus = useReturnFocus();
  const isWithdrawn = offer.state === 'withdrawn';
  // The menu's entry, which had the focus, is gone when the dialog closes.
  const open = (dialog: { open: () => void }) => {
    focus.openedBy(button.current);
    dialog.open();
  };
  const close = (dialog: { close: () => void }) => {
    dialog.close();
    focus.closed();
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            ref={button}
            variant="default"
            size="lg"
            aria-label={`Change the offer of ${offer.model}`}
          >
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!isWithdrawn && offer.state !== 'expired' && (
            <Menu.Item leftSection={<IconCoin size={16} />} onClick={() => open(price)}>
              Change price
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconEdit size={16} />}
            component={Link}
            to={`/provide/offers/${offer.offer_id}/edit`}
          >
            {isWithdrawn ? 'Offer again' : 'New version'}
          </Menu.Item>
          {!isWithdrawn && (
            <Menu.Item leftSection={<IconTrash size={16} />} color="red" onClick={() => open(withdrawal)}>
              Withdraw
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <PriceDialog offer={offer} opened={pricing} onClose={() => close(price)} />
      <WithdrawDialog offer={offer} opened={withdrawing} onClose={() => close(withdrawal)} />
    </>
  );
}
