import { Route, Routes, useParams } from 'react-router';
import { ModelDetail } from './model-detail';
import { ModelList } from './model-list';

export default function ModelsPage() {
  return (
    <Routes>
      <Route index element={<ModelList />} />
      <Route path="*" element={<NamedModel />} />
    </Routes>
  );
}

function NamedModel() {
  const id = useParams()['*'] ?? '';
  return <ModelDetail key={id} id={id} />;
}
