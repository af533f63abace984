/** A checkbox, separate from the other fields, so that it is loaded only where it is needed. */
import { Checkbox, type CheckboxProps } from "react-aria-components"

export const CheckField = ({
  children,
  ...rest
}: Omit<CheckboxProps, "className" | "children"> & { readonly children: React.ReactNode }) => (
  <Checkbox {...rest} className="check">
    {({ isSelected }) => (
      <>
        <span className="check-box" aria-hidden="true">
          {isSelected ? "✓" : ""}
        </span>
        {children}
      </>
    )}
  </Checkbox>
)
