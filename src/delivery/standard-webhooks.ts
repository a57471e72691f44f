import { Webhook } from 'standardwebhooks';

/** Loaded when something is signed: the cryptography is most of its size. */
export function signature(secrets: readonly string[], id: string, at: Date, body: string): string {
  return secrets.map((secret) => webhook(secret).sign(id, at, body)).join(' ');
}

function webhook(secret: string): Webhook {
  return secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(secret, { format: 'raw' });
}
