import type { SessionCard, SessionReply } from './session.dto';
import type { OpenSession } from './sessions.service';

export function sessionReply(session: OpenSession, csrfToken: string): SessionReply {
  return {
    wallet: session.wallet,
    session_id: session.sessionId,
    is_operator: session.isOperator,
    expires_at: new Date(session.expiresAtMs).toISOString(),
    csrf_token: csrfToken,
  };
}

/** @param currentId the session that asks */
export function sessionCard(session: OpenSession, currentId: string): SessionCard {
  return {
    id: session.sessionId,
    created_at: new Date(session.createdAtMs).toISOString(),
    last_seen_at: new Date(session.lastSeenAtMs).toISOString(),
    expires_at: new Date(session.expiresAtMs).toISOString(),
    user_agent: session.userAgent,
    current: session.sessionId === currentId,
  };
}
