// The section "Requests": a member asks for a role for a time, and who approves answers. What the user may do with a
// request stands in it.
import { useId, useState } from 'react'
import { useAccessRequests, useRequestableRoles } from 'zerohop/react'
import { RoleSelect, Section } from './sections.jsx'

const HOUR = 3600
const TIMES = [
  [HOUR, '1 hour'],
  [8 * HOUR, '8 hours'],
  [24 * HOUR, '1 day'],
]
/** The buttons, and what is said when it is done. */
const STEPS = {
  approve: ['Approve', 'approved'],
  deny: ['Deny', 'denied'],
  cancel: ['Cancel', 'cancelled'],
  revoke: ['Revoke', 'revoked'],
}

export function Requests({ run, onChange }) {
  const requests = useAccessRequests({ perPage: 100 })
  const { data = [], ask } = requests
  const decide = (step, { id }, about) =>
    run(async () => {
      await requests[step](id)
      await onChange() // who has which role may have changed
    }, `${about} is ${STEPS[step][1]}.`)
  return (
    <Section title="Requests" list={requests}>
      <Ask ask={ask} run={run} />
      {data.length === 0 ? (
        <p>There are no requests.</p>
      ) : (
        <ul className="rows" aria-label="Requests">
          {data.toReversed().map((request) => {
            const { id, user, role, reason, state, may } = request
            const about = `The request of ${user} for ${role}`
            return (
              <li key={id}>
                {user} <span className="quiet">as {role}</span> {reason}
                <span className="quiet">{state}</span>
                {may.map((step) => (
                  <button
                    key={step}
                    type="button"
                    aria-label={`${STEPS[step][0]} ${about.toLowerCase()}`}
                    onClick={() => decide(step, request, about)}
                  >
                    {STEPS[step][0]}
                  </button>
                ))}
              </li>
            )
          })}
        </ul>
      )}
    </Section>
  )
}

function Ask({ ask, run }) {
  // roles on instances are asked for where the instances are
  const offered = (useRequestableRoles().data ?? []).filter(({ resource }) => resource === null)
  const [chosen, setChosen] = useState()
  const [timeId, reasonId] = [useId(), useId()]
  const role = offered.find(({ key }) => key === chosen) ?? offered[0]
  if (role === undefined) return null
  const submit = async (event) => {
    event.preventDefault()
    const form = event.currentTarget
    const { duration, reason } = Object.fromEntries(new FormData(form))
    const wanted = { role: role.key, duration: Number(duration), ...(reason === '' ? {} : { reason }) }
    if (await run(() => ask(wanted), `You asked for the role ${role.name}.`)) form.reset()
  }
  return (
    <form onSubmit={submit} className="line">
      <RoleSelect label="Role to ask for" roles={offered} onChange={setChosen} />
      <label htmlFor={timeId}>For</label>
      <select id={timeId} name="duration">
        {TIMES.filter(([seconds]) => seconds <= role.max_duration).map(([seconds, words]) => (
          <option key={seconds} value={seconds}>
            {words}
          </option>
        ))}
      </select>
      <label htmlFor={reasonId}>Why</label>
      <input id={reasonId} name="reason" required={role.needs_reason} maxLength={200} autoComplete="off" />
      <button type="submit">Ask</button>
    </form>
  )
}
