import type { Child } from 'hono/jsx';
import type { Access } from '../jobs/operator.js';
import { Foreign, Icon, type IconName } from './parts.js';
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

/** The end of such a form: the button that does it, a way back, and the name that is logged. */
export function SubmitButtons(props: {
  access: Access;
  label: string;
  icon?: IconName | undefined;
  danger?: boolean | undefined;
  back: string;
}) {
  const { access, label, icon, danger, back } = props;
  return (
    <p class="buttons">
      <button class={`btn ${danger ? 'danger' : 'pri'}`} type="submit" disabled={!access.write}>
        {icon === undefined ? null : <Icon name={icon} />}
        {label}
      </button>
      <a class="btn" href={back}>
        Keep it as it is
      </a>
      <LoggedAs access={access} />
    </p>
  );
}

/** The name that is logged with what a form does, or the reason why the console may not write. */
export function LoggedAs({ access }: { access: Access }) {
  return (
    <span class="sub sm">
      {access.write ? (
        <>
          Logged as <Foreign text={access.as} most={60} />.
        </>
      ) : (
        access.reason
      )}
    </span>
  );
}

/** A link to such a form, or a button that does nothing where the console may not write: `WhyReadOnly` is beside it. */
export function ActLink(props: {
  access: Access;
  href: string;
  look: string;
  label: string;
  icon?: IconName | undefined;
}) {
  const { access, href, look, label, icon } = props;
  const content = (
    <>
      {icon === undefined ? null : <Icon name={icon} />}
      {label}…
    </>
  );
  return access.write ? (
    <a class={look} href={href}>
      {content}
    </a>
  ) : (
    <button type="button" class={look} disabled aria-describedby="read-only">
      {content}
    </button>
  );
}

/** The reason why the console may not write, for the buttons of a page. */
export function WhyReadOnly({ access }: { access: Access }) {
  if (access.write) return null;
  return (
    <span class="sub sm" id="read-only">
      {access.reason}
    </span>
  );
}
