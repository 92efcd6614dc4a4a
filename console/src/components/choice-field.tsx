// A field for any number of given keys, such as the actions that a role permits: a box for each.
import classes from './choice-field.module.css'
import { parseChosen } from './object-draft.ts'

interface ChoiceFieldProps {
  readonly label: string
  readonly description?: string
  readonly choices: readonly string[]
  /** what is chosen, one in a line */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
}

export function ChoiceField({ label, description, choices, value, onChange, error }: ChoiceFieldProps) {
  const chosen = new Set(parseChosen(value))
  const set = (choice: string, isChosen: boolean) =>
    onChange(choices.filter((each) => (each === choice ? isChosen : chosen.has(each))).join('\n'))
  if (choices.length === 0) return null
  return (
    <fieldset className={classes.field}>
      <legend>{label}</legend>
      {description !== undefined && <p className={classes.description}>{description}</p>}
      <div className={classes.choices}>
        {choices.map((choice) => (
          <label key={choice}>
            <input
              type="checkbox"
              checked={chosen.has(choice)}
              onChange={({ currentTarget }) => set(choice, currentTarget.checked)}
            />
            {choice}
          </label>
        ))}
      </div>
      {error !== undefined && (
        <p role="alert" className={classes.error}>
          {error}
        </p>
      )}
    </fieldset>
  )
}
