/** The types of `rooms.mjs`, for the test that draws it. */
export declare const KERNEL: ReadonlyArray<string>
export declare const MAY_IMPORT: { readonly [room: string]: ReadonlyArray<string> }
