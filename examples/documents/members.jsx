// The page "Members": a customer's administrator sees who belongs to the tenant, gives and takes roles, makes roles of the
// tenant, invites people and answers requests; every member asks for roles. It asks the routes below /authz, which decide;
// what its user may not do it does not offer.
import { useId, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { useInvites, useMembers, useTenantRoles } from 'zerohop/react'
import { Requests } from './requests.jsx'
import { Roles } from './roles.jsx'
import { Confirmed, RoleSelect, Section } from './sections.jsx'

function App() {
  const [said, setSaid] = useState({ text: '', isTrouble: false })
  /** Runs a change and says how it went: in a region that screen readers read out. */
  const run = async (change, done) => {
    try {
      await change()
      setSaid({ text: done, isTrouble: false })
      return true
    } catch (error) {
      setSaid({ text: error.message, isTrouble: true })
      return false
    }
  }
  const roles = useTenantRoles()
  const [shown, setShown] = useState({ search: '', page: 1 })
  const members = useMembers({ ...shown, perPage: PAGE_ROWS })
  // roles on instances are given where the instances are: on the page of a folder
  const offered = (roles.data ?? []).filter(({ resource }) => resource === null)
  return (
    <>
      <header>
        <h1>Members</h1>
        <nav aria-label="Pages">
          <a href="/">Documents</a>
        </nav>
      </header>
      <main>
        <p role="status" className={said.isTrouble ? 'said trouble' : 'said'}>
          {said.text}
        </p>
        <Members list={members} shown={shown} show={setShown} offered={offered} run={run} />
        <Invites offered={offered} run={run} />
        <Roles list={roles} run={run} />
        <Requests run={run} onChange={members.refresh} />
      </main>
    </>
  )
}

const PAGE_ROWS = 20

function Members({ list, shown, show, offered, run }) {
  const { data = [], total = 0, mayManage, give, take, remove } = list
  const { page } = shown
  const turnTo = (next) => show({ ...shown, page: next })
  const searchId = useId()
  const find = (event) => {
    event.preventDefault()
    show({ search: new FormData(event.currentTarget).get('search'), page: 1 })
  }
  return (
    <Section title="Members" list={list}>
      <search>
        <form onSubmit={find} className="line">
          <label htmlFor={searchId}>Name or email</label>
          <input id={searchId} name="search" type="search" />
          <button type="submit">Search</button>
        </form>
      </search>
      <div className="wide">
        <table>
          <caption>{total === 1 ? '1 member' : `${total} members`}</caption>
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Roles</th>
              {mayManage && <th scope="col">Change</th>}
            </tr>
          </thead>
          <tbody>
            {data.map((member) => (
              <tr key={member.key}>
                <th scope="row">
                  {nameOf(member)}
                  {member.email && <span className="quiet">{member.email}</span>}
                </th>
                <td>
                  <ul className="chips" aria-label={`Roles of ${nameOf(member)}`}>
                    {member.roles.map((held) => (
                      <li key={`${held.role} ${held.resource_instance}`}>
                        {held.role}
                        {held.resource_instance && ` on ${held.resource_instance}`}
                        {held.valid_until && ` until ${new Date(held.valid_until).toLocaleString()}`}
                        {mayManage && (
                          <button
                            type="button"
                            className="chip"
                            aria-label={`Take ${held.role} from ${nameOf(member)}`}
                            onClick={() =>
                              run(
                                () => take(member.key, held.role, held.resource_instance),
                                `${nameOf(member)} no longer has the role ${held.role}.`,
                              )
                            }
                          >
                            ×
                          </button>
                        )}
                      </li>
                    ))}
                  </ul>
                </td>
                {mayManage && (
                  <td className="line">
                    <GiveRole
                      member={member}
                      offered={offered}
                      give={(role) => run(() => give(member.key, role), `${nameOf(member)} has the role ${role}.`)}
                    />
                    <Confirmed
                      verb="Remove"
                      name={nameOf(member)}
                      warning="and all roles"
                      onConfirm={() => run(() => remove(member.key), `${nameOf(member)} is removed.`)}
                    />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {total > PAGE_ROWS && (
        <nav aria-label="Pages of members" className="line">
          <button type="button" disabled={page === 1} onClick={() => turnTo(page - 1)}>
            Previous
          </button>
          <span>
            Page {page} of {Math.ceil(total / PAGE_ROWS)}
          </span>
          <button type="button" disabled={page * PAGE_ROWS >= total} onClick={() => turnTo(page + 1)}>
            Next
          </button>
        </nav>
      )}
    </Section>
  )
}

const nameOf = ({ key, first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ') || key

function GiveRole({ member, offered, give }) {
  const held = new Set(member.roles.filter((role) => role.resource_instance === null).map(({ role }) => role))
  const others = offered.filter(({ key }) => !held.has(key))
  if (others.length === 0) return null
  const submit = (event) => {
    event.preventDefault()
    give(new FormData(event.currentTarget).get('role'))
  }
  return (
    <form onSubmit={submit} className="line">
      <RoleSelect label={`Role for ${nameOf(member)}`} roles={others} isHidden />
      <button type="submit" aria-label={`Give the role to ${nameOf(member)}`}>
        Give
      </button>
    </form>
  )
}

function Invites({ offered, run }) {
  const invites = useInvites({ status: 'pending' })
  const { data = [], mayManage, invite, cancel } = invites
  const id = useId()
  const submit = async (event) => {
    event.preventDefault()
    const form = event.currentTarget
    const { email, role } = Object.fromEntries(new FormData(form))
    if (await run(() => invite({ email, role }), `${email} is invited.`)) form.reset()
  }
  return (
    <Section title="Invites" list={invites}>
      {mayManage && (
        <form onSubmit={submit} className="line">
          <label htmlFor={id}>Email</label>
          <input id={id} name="email" type="email" required autoComplete="off" />
          <RoleSelect label="Role" roles={offered} />
          <button type="submit">Invite</button>
        </form>
      )}
      {data.length === 0 ? (
        <p>No one is invited.</p>
      ) : (
        <ul className="rows">
          {data.map(({ id: one, email, user, role }) => (
            <li key={one}>
              {email ?? user} <span className="quiet">as {role}</span>
              {mayManage && (
                <button
                  type="button"
                  aria-label={`Cancel the invite of ${email ?? user}`}
                  onClick={() => run(() => cancel(one), `The invite of ${email ?? user} is cancelled.`)}
                >
                  Cancel
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

createRoot(document.getElementById('app')).render(<App />)
