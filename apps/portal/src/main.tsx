import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './design/mantine-styles';
import '@mantine/notifications/styles.layer.css';
import './design/global.css';
import { App } from './app';
import { keepPaperLight } from './shell/light-paper';

keepPaperLight();
const root = document.getElementById('root');
if (root === null) throw new Error('no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
