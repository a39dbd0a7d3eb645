import { Route, Routes, useParams } from 'react-router';
import { NotFoundPage } from '../../design/not-found-page';
import { SettlementDetail } from './settlement-detail';
import { SettlementTable } from './settlement-table';

export default function SettlementsPage() {
  return (
    <Routes>
      <Route index element={<SettlementTable />} />
      <Route path=":id" element={<NamedSettlement />} />
      <Route path="*" element={<NotFoundPage />} />
    </Routes>
  );
}

function NamedSettlement() {
  const { id = '' } = useParams();
  return <SettlementDetail key={id} id={id} />;
}
