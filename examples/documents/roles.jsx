// The section "Roles": what the administrators of a tenant make of the permissions that the application offers. No one
// gives more than they have: the server refuses it, and the page says so.
import { useId } from 'react'
import { useOfferedPermissions } from 'zerohop/react'
import { Confirmed, Section } from './sections.jsx'

export function Roles({ list, run }) {
  const { data = [], mayManage, create, remove } = list
  const own = data.filter((role) => role.is_own)
  return (
    <Section title="Roles" list={list}>
      {mayManage && <NewRole create={create} run={run} />}
      {own.length === 0 ? (
        <p>There are no own roles.</p>
      ) : (
        <ul className="rows" aria-label="Own roles">
          {own.map(({ key, name, permissions }) => (
            <li key={key}>
              {name} <span className="quiet">{permissions.join(', ') || 'no permissions'}</span>
              {mayManage && (
                <Confirmed
                  verb="Delete"
                  name={name}
                  warning="and take it from all members"
                  onConfirm={() => run(() => remove(key), `The role ${name} is deleted.`)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

function NewRole({ create, run }) {
  const permissions = useOfferedPermissions({ perPage: 100 })
  const id = useId()
  const submit = async (event) => {
    event.preventDefault()
    const form = event.currentTarget
    const sent = new FormData(form)
    const name = sent.get('name')
    const role = { key: toKey(name), name, permissions: sent.getAll('permission') }
    if (await run(() => create(role), `The role ${name} is made.`)) form.reset()
  }
  return (
    <form onSubmit={submit} className="fields">
      <div className="line">
        <label htmlFor={id}>Name of the role</label>
        <input id={id} name="name" required maxLength={60} autoComplete="off" />
      </div>
      <fieldset>
        <legend>Permissions</legend>
        {(permissions.data ?? []).map(({ key, resource, action }) => (
          <label key={key} className="choice">
            <input type="checkbox" name="permission" value={key} />
            {action} {resource}
          </label>
        ))}
      </fieldset>
      <button type="submit">Make role</button>
    </form>
  )
}

/** A key has no blanks; the name is what people see. */
const toKey = (name) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '') || 'role'
