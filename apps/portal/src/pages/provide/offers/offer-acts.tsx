import { ActionIcon, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCoin, IconDots, IconEdit, IconTrash } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { Offer } from '../../../supply/offer-words';
import { PriceDialog } from './price-dialog';
import { WithdrawDialog } from './withdraw-dialog';

/** What can be done to an offer: another price, another version, taking it off the market. */
export function OfferActs({ offer }: { offer: Offer }) {
  const [pricing, price] = useDisclosure(false);
  const [withdrawing, withdrawal] = useDisclosure(false);
  const isWithdrawn = offer.state === 'withdrawn';
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={`Change the offer of ${offer.model}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!isWithdrawn && offer.state !== 'expired' && (
            <Menu.Item leftSection={<IconCoin size={16} />} onClick={price.open}>
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
            <Menu.Item leftSection={<IconTrash size={16} />} color="red" onClick={withdrawal.open}>
              Withdraw
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <PriceDialog offer={offer} opened={pricing} onClose={price.close} />
      <WithdrawDialog offer={offer} opened={withdrawing} onClose={withdrawal.close} />
    </>
  );
}
