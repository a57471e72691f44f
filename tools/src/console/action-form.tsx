import type { Child } from 'hono/jsx';
import { CSRF_FIELD } from './security.js';

/** A form that changes something. */
export function ActionForm(props: {
  context: { readonly csrf: string };
  action: string;
  children: Child;
  class?: string;
}) {
  return (
    <form method="post" action={props.action} class={props.class}>
      <input type="hidden" name={CSRF_FIELD} value={props.context.csrf} />
      {props.children}
    </form>
  );
}
