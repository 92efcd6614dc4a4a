// Why may somebody do something, or not? A form at the left, the answer at the right; the question is in the address.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEnvironmentPath } from '../../api/environments.ts'
import { Page } from '../../components/page.tsx'
import { EmptyState, QueryState } from '../../components/states.tsx'
import { Answer } from './answer.tsx'
import { explanationQuery } from './explanation-query.ts'
import { type QuestionSearch, toQuestion } from './question.ts'
import { QuestionForm } from './question-form.tsx'
import classes from './why-page.module.css'

const FROM = '/$project/$environment/why'

export function WhyPage() {
  const path = useEnvironmentPath()
  const search = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const question = toQuestion(search)
  const explanation = useQuery({
    ...explanationQuery(path, question),
    enabled: question !== undefined,
    placeholderData: keepPreviousData,
  })
  const ask = (next: QuestionSearch) => {
    if (JSON.stringify(next) === JSON.stringify(search)) void explanation.refetch()
    else void navigate({ search: next, resetScroll: false })
  }
  return (
    <Page
      title="Why"
      description="Check whether a user can do something, and see what allows it or what's missing."
      isWide
    >
      <div className={classes.columns}>
        <QuestionForm key={JSON.stringify(search)} search={search} isAsking={explanation.isFetching} onAsk={ask} />
        <section aria-label="Answer" aria-live="polite" className={classes.answer}>
          {question === undefined ? (
            <EmptyState
              icon="searchCheck"
              title="Ask a question"
              text="See each role, relation and rule that allows it, or what comes closest and what's missing."
            />
          ) : (
            <QueryState query={explanation}>
              {(answer) => <Answer answer={answer} isOld={explanation.isPlaceholderData} />}
            </QueryState>
          )}
        </section>
      </div>
    </Page>
  )
}
