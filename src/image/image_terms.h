/* image_terms: the names that equations' tables have for the bits of coordinates; for the files that include those tables only.
 * */
#ifndef IMAGE_IMAGE_TERMS_H
#define IMAGE_IMAGE_TERMS_H

#include "image/image_layout.h"

#define IMAGE_BIT(coordinate, n) (UINT64_C(1) << (IMAGE_TERM_##coordinate + (n)))
#define X0                       IMAGE_BIT(X, 0)
#define X1                       IMAGE_BIT(X, 1)
#define X2                       IMAGE_BIT(X, 2)
#define X3                       IMAGE_BIT(X, 3)
#define X4                       IMAGE_BIT(X, 4)
#define X5                       IMAGE_BIT(X, 5)
#define X6                       IMAGE_BIT(X, 6)
#define X7                       IMAGE_BIT(X, 7)
#define X8                       IMAGE_BIT(X, 8)
#define X9                       IMAGE_BIT(X, 9)
#define X10                      IMAGE_BIT(X, 10)
#define Y0                       IMAGE_BIT(Y, 0)
#define Y1                       IMAGE_BIT(Y, 1)
#define Y2                       IMAGE_BIT(Y, 2)
#define Y3                       IMAGE_BIT(Y, 3)
#define Y4                       IMAGE_BIT(Y, 4)
#define Y5                       IMAGE_BIT(Y, 5)
#define Y6                       IMAGE_BIT(Y, 6)
#define Y7                       IMAGE_BIT(Y, 7)
#define Y8                       IMAGE_BIT(Y, 8)
#define Y9                       IMAGE_BIT(Y, 9)
#define Y10                      IMAGE_BIT(Y, 10)
#define Z0                       IMAGE_BIT(Z, 0)
#define Z1                       IMAGE_BIT(Z, 1)
#define Z2                       IMAGE_BIT(Z, 2)
#define Z3                       IMAGE_BIT(Z, 3)
#define Z4                       IMAGE_BIT(Z, 4)
#define Z5                       IMAGE_BIT(Z, 5)
#define Z6                       IMAGE_BIT(Z, 6)
#define S0                       IMAGE_BIT(SAMPLE, 0)
#define S1                       IMAGE_BIT(SAMPLE, 1)
#define S2                       IMAGE_BIT(SAMPLE, 2)

/* Which chips' equations a row belongs to: bit 1 << enum image_equations. */
enum {
    FOR_NAVI10 = 1 << IMAGE_EQUATIONS_NAVI10,
    FOR_NAVI21 = 1 << IMAGE_EQUATIONS_NAVI21,
    FOR_VANGOGH = 1 << IMAGE_EQUATIONS_VANGOGH,
    FOR_ONEPIPE = 1 << IMAGE_EQUATIONS_ONEPIPE,
    FOR_PIPES16 = FOR_NAVI10 | FOR_NAVI21,
    FOR_GFX103 = FOR_NAVI21 | FOR_VANGOGH | FOR_ONEPIPE,
    FOR_ALL = FOR_NAVI10 | FOR_GFX103,
};

#endif
