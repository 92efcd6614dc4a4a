// What the sections of the page "Members" share.
import { useId, useState } from 'react'

export function Section({ title, list, children }) {
  const id = useId()
  const { error, isLoading, refresh } = list
  return (
    <section aria-labelledby={id} aria-busy={isLoading}>
      <h2 id={id}>{title}</h2>
      {error && (
        <p role="alert" className="said trouble">
          {error.status === 403 ? 'You may not see this.' : error.message}{' '}
          <button type="button" onClick={refresh}>
            Try again
          </button>
        </p>
      )}
      {list.data === undefined ? !error && <p>Loading…</p> : children}
    </section>
  )
}

/** Asks a second time, in the place of the first button, before something is gone. */
export function Confirmed({ verb, name, warning, onConfirm }) {
  const [isAsked, setAsked] = useState(false)
  if (!isAsked)
    return (
      <button type="button" aria-label={`${verb} ${name}`} onClick={() => setAsked(true)}>
        {verb}
      </button>
    )
  return (
    <>
      {/* biome-ignore lint/a11y/noAutofocus: the button that had the focus is gone, and this one takes its place */}
      <button type="button" className="danger" autoFocus onClick={onConfirm}>
        {verb} {name} {warning}
      </button>
      <button type="button" onClick={() => setAsked(false)}>
        Keep {name}
      </button>
    </>
  )
}

export function RoleSelect({ label, roles, isHidden = false, onChange }) {
  const id = useId()
  return (
    <>
      <label htmlFor={id} className={isHidden ? 'hidden' : undefined}>
        {label}
      </label>
      <select id={id} name="role" onChange={onChange && (({ target }) => onChange(target.value))}>
        {roles.map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </>
  )
}
