/** A sentence that a screen reader reads out at once. */
export const ProblemNotice = ({ children }: { readonly children: string | null }) =>
  children === null ? null : (
    <p role="alert" className="notice notice-bad">
      {children}
    </p>
  )

export const Notice = ({ children }: { readonly children: React.ReactNode }) => (
  <p role="status" className="notice">
    {children}
  </p>
)
