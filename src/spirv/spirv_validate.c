/* spirv_validate: validation of modules by SPIRV-Tools' library. */
#include "spirv/spirv_validate.h"

#include <spirv-tools/libspirv.h>
#include <stdio.h>

bool spirv_validate(const uint32_t *words, size_t count, char *error, size_t error_size)
{
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_2);
    spv_diagnostic diagnostic = NULL;
    bool good = spvValidateBinary(context, words, count, &diagnostic) == SPV_SUCCESS;
    snprintf(error, error_size, "%s", diagnostic ? diagnostic->error : "");
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return good;
}
