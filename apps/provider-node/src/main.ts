import { configOrExit } from '@svc/service-host';
import { loadProviderNodeConfig } from './provider-node.config';
import { serveNode } from './serve-node';

void serveNode(configOrExit('provider-node', loadProviderNodeConfig));
