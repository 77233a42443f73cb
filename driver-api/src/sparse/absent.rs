//! cuSPARSE functions that `cusparse.h` declares but that are not implemented here. Each returns
//! `CUSPARSE_STATUS_NOT_SUPPORTED` and is reported by name, once.

use super::{Status, refused};
use crate::absent::absent;

absent! { refused, Status::Success;
    cusparseSpVV_bufferSize cusparseSpVV cusparseAxpby cusparseGather cusparseScatter cusparseRot
    cusparseSpGEMM_createDescr cusparseSpGEMM_destroyDescr cusparseSpGEMM_workEstimation
    cusparseSpGEMM_compute cusparseSpGEMM_copy cusparseSDDMM_bufferSize cusparseSDDMM_preprocess
    cusparseSDDMM cusparseSpSV_createDescr cusparseSpSV_destroyDescr cusparseSpSV_bufferSize
    cusparseSpSV_analysis cusparseSpSV_solve cusparseSpSM_createDescr cusparseSpSM_destroyDescr
    cusparseSpSM_bufferSize cusparseSpSM_analysis cusparseSpSM_solve
    cusparseSparseToDense_bufferSize cusparseSparseToDense cusparseDenseToSparse_bufferSize
    cusparseDenseToSparse_analysis cusparseDenseToSparse_convert cusparseCreateSpVec
    cusparseCreateConstSpVec cusparseDestroySpVec cusparseCreateBlockedEll
    cusparseCsr2cscEx2_bufferSize cusparseCsr2cscEx2 cusparseCreateIdentityPermutation
    cusparseXcsrsort_bufferSizeExt cusparseXcsrsort cusparseXcoosort_bufferSizeExt
    cusparseXcoosortByRow cusparseXcoosortByColumn cusparseCreateCsrilu02Info
    cusparseDestroyCsrilu02Info cusparseCreateCsric02Info cusparseDestroyCsric02Info
    cusparseXcsrilu02_zeroPivot cusparseXcsric02_zeroPivot cusparseScsrilu02_bufferSize
    cusparseScsrilu02_analysis cusparseScsrilu02 cusparseScsric02_bufferSize
    cusparseScsric02_analysis cusparseScsric02 cusparseSgtsv2_bufferSizeExt cusparseSgtsv2
    cusparseSgtsv2_nopivot_bufferSizeExt cusparseSgtsv2_nopivot
    cusparseSgtsv2StridedBatch_bufferSizeExt cusparseSgtsv2StridedBatch cusparseSnnz
    cusparseScsrgeam2_bufferSizeExt cusparseScsrgeam2 cusparseDcsrilu02_bufferSize
    cusparseDcsrilu02_analysis cusparseDcsrilu02 cusparseDcsric02_bufferSize
    cusparseDcsric02_analysis cusparseDcsric02 cusparseDgtsv2_bufferSizeExt cusparseDgtsv2
    cusparseDgtsv2_nopivot_bufferSizeExt cusparseDgtsv2_nopivot
    cusparseDgtsv2StridedBatch_bufferSizeExt cusparseDgtsv2StridedBatch cusparseDnnz
    cusparseDcsrgeam2_bufferSizeExt cusparseDcsrgeam2 cusparseCcsrilu02_bufferSize
    cusparseCcsrilu02_analysis cusparseCcsrilu02 cusparseCcsric02_bufferSize
    cusparseCcsric02_analysis cusparseCcsric02 cusparseCgtsv2_bufferSizeExt cusparseCgtsv2
    cusparseCgtsv2_nopivot_bufferSizeExt cusparseCgtsv2_nopivot
    cusparseCgtsv2StridedBatch_bufferSizeExt cusparseCgtsv2StridedBatch cusparseCnnz
    cusparseCcsrgeam2_bufferSizeExt cusparseCcsrgeam2 cusparseZcsrilu02_bufferSize
    cusparseZcsrilu02_analysis cusparseZcsrilu02 cusparseZcsric02_bufferSize
    cusparseZcsric02_analysis cusparseZcsric02 cusparseZgtsv2_bufferSizeExt cusparseZgtsv2
    cusparseZgtsv2_nopivot_bufferSizeExt cusparseZgtsv2_nopivot
    cusparseZgtsv2StridedBatch_bufferSizeExt cusparseZgtsv2StridedBatch cusparseZnnz
    cusparseZcsrgeam2_bufferSizeExt cusparseZcsrgeam2 cusparseXcsrgeam2Nnz
}
