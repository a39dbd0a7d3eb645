import { randomBytes } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GatewayConfig } from '../../gateway.config';
import { sendRepresentation } from '../../http/representation';
import { SiteFiles } from './site-files';
import { pagePolicy } from './site-policy';

/** In the built page, where the nonce of a reply goes. */
const NONCE_PLACE = '__NONCE__';
/** Not the API's, not an asset's, and no file at the top: those have a dot in their names, as ids in a page's path may. */
const PAGE_PATH = /^(?!(?:api|assets)(?:\/|$))(?:[^./]*$|[^/]*\/)/;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers what no other route does: it says nothing of which methods a path takes. */
    isFallback?: boolean;
  }
}

/**
 * Serves the portal's built page at `/portal`: its files, and the page itself for every path that is one of its own. Paths of the API and
 * missing files are not found.
 */
export function serveSite(app: NestFastifyApplication): void {
  const { portalDir, portalChainRpcUrl } = app.get(GatewayConfig);
  const instance: FastifyInstance = app.getHttpAdapter().getInstance();
  if (portalDir === undefined) {
    for (const path of ['/portal', '/portal/']) {
      instance.get(path, (_request, reply) =>
        sendAbsence(reply, 'the gateway was started without PORTAL_DIR'),
      );
    }
    return;
  }
  const files = new SiteFiles(portalDir);
  for (const path of ['/', '/portal']) instance.get(path, (_request, reply) => reply.redirect('/portal/'));
  instance.get('/portal/', (_request, reply) => sendPage(reply, files, portalChainRpcUrl));
  instance.get<{ Params: { '*': string } }>(
    '/portal/*',
    { config: { isFallback: true } },
    (request, reply) => {
      const path = request.params['*'];
      return PAGE_PATH.test(path)
        ? sendPage(reply, files, portalChainRpcUrl)
        : sendFile(request, reply, files, path);
    },
  );
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  files: SiteFiles,
  path: string,
): Promise<FastifyReply> {
  const file = await files.find(path, request.headers['accept-encoding']);
  if (file) sendRepresentation(request, reply, file);
  else reply.callNotFound();
  return reply;
}

async function sendPage(
  reply: FastifyReply,
  files: SiteFiles,
  chainRpcUrl: string | undefined,
): Promise<FastifyReply> {
  const html = await files.page();
  if (html === undefined)
    return sendAbsence(reply, 'nothing was built into PORTAL_DIR (npm run build does it)');
  const nonce = randomBytes(16).toString('base64');
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', pagePolicy(nonce, chainRpcUrl))
    .header('cache-control', 'no-cache')
    .send(html.replaceAll(NONCE_PLACE, nonce));
}

/** The gateway serves everything else meanwhile. */
function sendAbsence(reply: FastifyReply, reason: string): FastifyReply {
  return reply
    .status(404)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(`The portal's page is not here: ${reason}. The API at /v1 works without it.\n`);
}
